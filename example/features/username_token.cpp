// WS-Security UsernameToken: callers that say who they are. A digest needs no TLS, but a server that
// knows the passwords; with password_text it is check_password that knows, and TLS is a must.
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
        } catch (const soapsvc::remote_fault& fault) {  // says nothing of what was wrong
            std::printf("%s\n", fault.subcode().c_str());
        }
    }
    host.stop();
    serving.join();
}

// Output:
// opened for ada
// FailedAuthentication
