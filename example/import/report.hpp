// The report of an import: documents read, types written, operations left out, and the reasons.
#ifndef IMPORT_REPORT_HPP
#define IMPORT_REPORT_HPP

#include <string>
#include <vector>

#include "wsdl.hpp"

namespace importer {

struct Report {
  struct LeftOut {
    std::string operation;
    Problem why;
  };
  std::size_t files = 0;
  std::size_t bytes = 0;
  std::size_t operations = 0;
  std::size_t types = 0;
  std::size_t units = 0;  ///< number of units besides the header; 0: the header has all tables
  bool is_written = false;
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;
  std::vector<Problem> broken;  ///< components that cannot be read

  /// Makes notes of the broken components that no operation needs.
  void note_broken();
  /// An operation that is missing because the contract itself is broken; nullptr if there is none.
  const LeftOut* broken_operation() const;
  std::string text() const;
  std::string json() const;
};

/// The namespace that all interfaces have in common; empty when there are several.
std::string common_namespace(const std::vector<Interface>& interfaces);

}  // namespace importer

#endif
