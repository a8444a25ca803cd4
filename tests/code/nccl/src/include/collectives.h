// Not used here.
