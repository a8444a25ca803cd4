"""Onceover: is a schedule of a collective right?

>>> from onceover import Schedule, catalogue, verify
>>> verify(catalogue.swing(p=7)).verdict
'pass'

See docs/python.md.
"""

from onceover import catalogue, ranks
from onceover._onceover import topologies, version as __version__, views
from onceover.errors import Error, IllFormedError, LimitError, ParseError, UsageError
from onceover.launch import gpu
from onceover.measure import Contention, Cost, contention, cost
from onceover.picture import Picture
from onceover.report import Counterexample, Leg, Proof, Property, Report, prove, verify
from onceover.schedule import Program, Schedule, Transfer, from_file, from_msccl, from_text
from onceover.sweep import Sweep, sweep

from_peer = Schedule.from_peer

__all__ = [
    "Contention", "Cost", "Counterexample", "Error", "IllFormedError", "Leg", "LimitError", "ParseError", "Picture",
    "Program", "Proof", "Property", "Report", "Schedule", "Sweep", "Transfer", "UsageError", "catalogue", "contention",
    "cost", "from_file", "from_msccl", "from_peer", "from_text", "gpu", "prove", "ranks", "sweep", "topologies", "verify",
    "views"
]
