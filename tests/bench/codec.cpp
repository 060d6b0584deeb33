// codec run ROUNDS MILLISECONDS | growth ROUNDS MILLISECONDS | requests FOLDER | replies FOLDER
//
// The codec in process, through the public dispatch: bytes in, bytes out, data ready in memory.
// `run` measures the cases of messages.hpp, `growth` their like from ten addresses to ten thousand;
// under callgrind instructions are counted instead. `requests` and `replies` write the bytes of
// each case into files CASE.xml, which the peers' programs are compared with.
#include <cstdlib>
#include <fstream>

#include "measure.hpp"
#include "services.hpp"

namespace {

using Employees = bench::Employees<bench::handler_entered>;
using Debtors = bench::Debtors<bench::handler_entered>;

/// Both services, and a reply whose memory stays warm.
class Codec {
public:
    Codec() : services_({.ns_base = bench::ns_base}) {
        for (const int count : {10, 100, 1'000, 10'000})
            employees_.keep(count, bench::many_addresses(count));
        services_.add(employees_);
        services_.add(debtors_);
    }

    const std::string& answer(const bench::codec_case& one) {
        static constexpr soapsvc::http_header headers[] = {
            {"Host", "127.0.0.1:8080"},
            {"Content-Type", "text/xml; charset=utf-8"},
            {"SOAPAction", "\"\""}};
        soapsvc::http_request request;
        request.target = std::string_view(one.name) == "webhooks" ? "/soap/v3/DebtorService.asmx"
                                                                  : "/soap/v3/EmployeeService.asmx";
        request.headers = headers;
        request.body = one.request;
        services_.handle(request, reply_);
        if (reply_.status != 200) {
            std::fprintf(stderr, "codec: %s: %s\n", one.name, reply_.body.c_str());
            std::exit(1);
        }
        return reply_.body;
    }

private:
    Employees employees_;
    Debtors debtors_;
    soapsvc::dispatcher services_;
    soapsvc::http_reply reply_;
};

void measure_all(
    const char* section, const std::vector<bench::codec_case>& cases, const bench::effort& with) {
    Codec codec;
    for (const bench::codec_case& one : cases) {
        bench::row(section, "ours", one.name, "bytes_in", static_cast<double>(one.request.size()));
        const auto bytes_out = static_cast<double>(codec.answer(one).size());
        bench::row(section, "ours", one.name, "bytes_out", bytes_out);
        bench::measure(section, "ours", one.name, with, [&] { codec.answer(one); });
    }
}

void write(const std::string& folder, const std::string& name, const std::string& text) {
    std::ofstream file(folder + "/" + name + ".xml", std::ios::binary);
    file << text;
    if (!file.flush()) std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view what = count > 1 ? arguments[1] : "";
    if (count == 3 && (what == "requests" || what == "replies")) {
        Codec codec;
        for (const bench::codec_case& one : bench::codec_cases())
            write(arguments[2], one.name, what == "requests" ? one.request : codec.answer(one));
        return 0;
    }
    if (count != 4 || (what != "run" && what != "growth"))
        return std::fprintf(stderr, "codec run|growth ROUNDS MS | requests|replies FOLDER\n"), 2;
    const bench::effort with{
        std::max(1, std::atoi(arguments[2])), std::chrono::milliseconds(std::atoi(arguments[3]))};
    if (what == "run")
        measure_all("codec", bench::codec_cases(), with);
    else
        measure_all("growth", bench::growth_cases(), with);
}
