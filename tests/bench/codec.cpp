// codec run ROUNDS MILLISECONDS | growth ROUNDS MILLISECONDS | requests FOLDER | responses FOLDER |
//       wsdl FILE
//
// The codec in process, through the public dispatch: bytes in, bytes out, data ready in memory.
// `run` measures the cases of messages.hpp and depot.hpp, `growth` their like from ten addresses to
// ten thousand; under callgrind instructions are counted instead. `requests` and `responses` write
// the bytes of each case into files CASE.xml, which the peers' programs are compared with, `wsdl`
// the depot's, from which one of them is generated.
#include <cstdlib>
#include <fstream>

#include "depot_service.hpp"
#include "measure.hpp"
#include "services.hpp"

namespace {

using Employees = bench::Employees<bench::handler_entered>;
using Debtors = bench::Debtors<bench::handler_entered>;
using Depot = bench::Depot<bench::handler_entered>;

std::vector<bench::codec_case> all_cases() {
  std::vector<bench::codec_case> cases = bench::codec_cases();
  for (const bench::codec_case& one : bench::depot_cases())
    cases.push_back(one);
  return cases;
}

/// The services, and a response whose memory stays warm.
class Codec {
public:
  Codec() : services_({.ns_base = bench::ns_base}) {
    for (const int count : {10, 100, 1'000, 10'000})
      employees_.keep(count, bench::many_addresses(count));
    services_.add(employees_);
    services_.add(debtors_);
    services_.add(depot_);
  }

  const std::string& answer(const bench::codec_case& one) {
    static constexpr soapsvc::http_header headers[] = {
        {"Host", "127.0.0.1:8080"},
        {"Content-Type", "text/xml; charset=utf-8"},
        {"SOAPAction", "\"\""}};
    soapsvc::http_request request;
    request.target = one.path;
    request.headers = headers;
    request.body = one.request;
    return send(request, one.name);
  }

  const std::string& wsdl() {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = "/soap/v3/Depot.asmx?wsdl";
    return send(request, "wsdl");
  }

private:
  const std::string& send(const soapsvc::http_request& request, const char* name) {
    services_.handle(request, response_);
    if (response_.status != 200) {
      std::fprintf(stderr, "codec: %s: %s\n", name, response_.body.c_str());
      std::exit(1);
    }
    return response_.body;
  }

  Employees employees_;
  Debtors debtors_;
  Depot depot_;
  soapsvc::dispatcher services_;
  soapsvc::http_response response_;
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

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (count == 3 && what == "wsdl") return write(arguments[2], Codec().wsdl()), 0;
  if (count == 3 && (what == "requests" || what == "responses")) {
    Codec codec;
    for (const bench::codec_case& one : all_cases())
      write(
          std::string(arguments[2]) + "/" + one.name + ".xml",
          what == "requests" ? one.request : codec.answer(one));
    return 0;
  }
  if (count != 4 || (what != "run" && what != "growth"))
    return std::fprintf(
               stderr, "codec run|growth ROUNDS MS | requests|responses FOLDER | wsdl FILE\n"),
           2;
  const bench::effort with{
      std::max(1, std::atoi(arguments[2])), std::chrono::milliseconds(std::atoi(arguments[3]))};
  if (what == "run")
    measure_all("codec", all_cases(), with);
  else
    measure_all("growth", bench::growth_cases(), with);
}
