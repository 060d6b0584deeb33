// WS-Security UsernameToken: callers identify themselves with a name and a password. With a digest,
// TLS is not required, but the server must know the passwords. With password_text, TLS is required,
// and check_password needs only a hash of each password.
#include <cstdio>
#include <map>
#include <thread>

#include "soapsvc.hpp"

class Vault {
public:
  std::string open(const soapsvc::context& context) {
    return "opened for " + std::string(context.user);
  }
};
template <>
inline constexpr auto soapsvc::schema<Vault> = service(
    "Vault", ns("urn:vault"), secured(password_digest, timestamp), operation("Open", &Vault::open));

int main() {
  const std::map<std::string, std::string, std::less<>> passwords = {{"ada", "lovelace"}};
  soapsvc::dispatcher_options options;
  options.security.find_password = [&](std::string_view user,
                                       const soapsvc::context&) -> std::optional<std::string> {
    const auto found = passwords.find(user);
    return found == passwords.end() ? std::nullopt : std::optional(found->second);
  };
  Vault vault;
  soapsvc::host host{options};
  host.add(vault);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });

  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Vault.asmx";
  for (const char* password : {"lovelace", "byron"}) {
    soapsvc::client_options as_ada;
    as_ada.security.user = "ada";
    as_ada.security.password = password;
    try {
      std::printf("%s\n", soapsvc::client<Vault>{url, as_ada}.call(&Vault::open).c_str());
    } catch (const soapsvc::remote_fault& fault) {  // does not say what was wrong
      std::printf("%s\n", fault.subcode().c_str());
    }
  }
  host.stop();
  serving.join();
}

// Output:
// opened for ada
// FailedAuthentication
