// The steps from the documents of a contract to tables with names, in their order.
#ifndef IMPORT_CONTRACT_HPP
#define IMPORT_CONTRACT_HPP

#include <optional>
#include <string>
#include <vector>

#include "classes.hpp"

namespace importer {

/// A contract and the tables made from it. The tables point into the documents.
struct Contract {
  /// Reads the documents of these names. Throws Failure. `skips`: a missing wsdl:import is a note.
  Contract(Library& library, const std::vector<std::string>& inputs, bool skips = false);
  Contract(const Contract&) = delete;
  Contract& operator=(const Contract&) = delete;

  SchemaSet schemas;
  WsdlReader wsdl;
  std::vector<Interface> interfaces;
  Tables tables;
  SimpleTypes simple{tables};
  std::optional<Records> records;
  std::optional<Classes> classes;
};

/// Makes `wrapped_list` rows of the rows of an `ArrayOfX`, and `map` rows of those of a dictionary.
/// A type with another use stays as it is, as does a type that a row describes differently. A
/// comparison of two contracts skips this, because it compares their types.
void wrap_lists(Tables& tables);

/// Returns a note for each dictionary that is written as a map.
std::vector<std::string> map_notes(
    const Tables& tables, const std::set<const Declaration*>& written);

}  // namespace importer

#endif
