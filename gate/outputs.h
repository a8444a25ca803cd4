// The outputs of a gate, all made from the same report.
#pragma once

#include <string>

#include "gate/gate_report.h"

namespace onceover::gate {

/// The text for people: failures first, the verdict last.
std::string text_output(const GateReport& report);

/// The JSON document of docs/schema/gate.schema.json.
std::string json_output(const GateReport& report);

/// JUnit's XML: a test suite for each check, a test case for each unit.
std::string junit_output(const GateReport& report);

/// SARIF 2.1.0: a result for each cause, at the subject's file if it has one, else at the check in the gate file.
std::string sarif_output(const GateReport& report);

/// The summary of a CI job, in GitHub's Markdown.
std::string markdown_output(const GateReport& report);

}  // namespace onceover::gate
