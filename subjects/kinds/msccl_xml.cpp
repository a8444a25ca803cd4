// MSCCL XML: a program of thread blocks, judged for a runtime.

#include "formats/msccl_xml.h"

#include <utility>

#include "base/xml_source.h"
#include "formats/foreign_formats.h"
#include "formats/msccl_profile.h"
#include "programs/program_certificate.h"
#include "subjects/kinds/kinds.h"
#include "subjects/kinds/ranks_program.h"

namespace onceover::subjects {

namespace {

class MscclXml final : public RanksProgram {
 public:
  MscclXml(std::string file, Program program) : RanksProgram(msccl_xml_kind, std::move(file), std::move(program)) {}

  Result<Verification> judge(const JudgeOptions& options) const override {
    return options.profile == nullptr ? RanksProgram::judge(options)
                                      : judged(on_profile(*options.profile), options.verify);
  }

  tl::expected<std::string, std::string> certificate(const JudgeOptions& options) const override {
    return program_certificate(options.profile == nullptr ? program() : on_profile(*options.profile),
                               options.verify.fifo);
  }

 private:
  Program on_profile(const MscclProfile& profile) const {
    Program chosen = program();
    set_profile(chosen, profile);
    return chosen;
  }
};

bool begins_with_algo(std::string_view text) {
  return begins_with_element(text, "algo");
}

tl::expected<FileContent, SourceError> read_msccl_xml(std::string_view name, std::string_view text) {
  return read_msccl(name, text).map([&](Program&& program) {
    return FileContent{.program = std::make_shared<MscclXml>(std::string(name), std::move(program))};
  });
}

}  // namespace

const InputKind msccl_xml_kind{.name = "MSCCL XML",
                               .language = "XML",
                               .what = "MSCCL XML",
                               .example = "MSCCL XML, <algo ..>",
                               .holds_program = true,
                               .read_by = "'verify FILE' and 'verify lint FILE' read it",
                               .describes_gpus = true,
                               .takes = {.fifo = true, .profile = true},
                               .looks_like = looks_like_xml,
                               .is_likely = begins_with_algo,
                               .read = read_msccl_xml};

}  // namespace onceover::subjects
