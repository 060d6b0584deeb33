#include "contract.hpp"

#include "checks.hpp"
#include "names.hpp"
#include "order.hpp"
#include "report.hpp"

namespace importer {

Contract::Contract(Library& library, const std::vector<std::string>& inputs)
    : schemas(library), wsdl(library, schemas) {
    library.give(inputs);
    for (const std::string& each : inputs)
        wsdl.add(each);
    interfaces = wsdl.interfaces();
    schemas.finish();
    tables.common_ns = common_namespace(interfaces);
    records.emplace(tables, schemas, simple);
    classes.emplace(tables, schemas, *records);
    classes->make(interfaces);
    break_cycles(tables);
    check_tables(tables);
    std::vector<const Method*> all;
    for (const Class& each : tables.classes)
        for (const Method& method : each.methods)
            all.push_back(&method);
    give_names(tables, reached(all));
}

}  // namespace importer
