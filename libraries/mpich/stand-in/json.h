/* Rules in JSON, which choose algorithms, aren't read here. */
struct json_object;
