#include "compile.hpp"

namespace lockstep::reader {

Result<Compiled> compile(const CompileRequest& request) {
  return bad_input("cannot read {0}", {request.file.string()});
}

Result<std::string> compiler_version() { return unavailable("clang++ is not installed"); }

}  // namespace lockstep::reader
