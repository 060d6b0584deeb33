// The parts of the program that --client writes which are the same for every contract.
#ifndef IMPORT_CLIENT_PROGRAM_HPP
#define IMPORT_CLIENT_PROGRAM_HPP

namespace importer {

extern const char* const client_includes;
extern const char* const client_call;  ///< how an operation is handed on to the server
extern const char* const client_operations;  ///< a table that is open at its end
extern const char* const client_notations;  ///< XML and JSON
extern const char* const client_main;  ///< uses Operation, operations and add_services

}  // namespace importer

#endif
