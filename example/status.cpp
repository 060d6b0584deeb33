#include "status.hpp"

#include <spdlog/spdlog.h>

#include <array>
#include <exception>
#include <string>

#include "process.hpp"

namespace {

soapsvc::http_reply text_page(int status, std::string text) {
    soapsvc::http_reply reply;
    reply.status = status;
    reply.content_type = "text/plain; charset=utf-8";
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.body = std::move(text);
    return reply;
}

/// A proxy on this machine calls from loopback too: what it says of others makes it visible.
bool came_through_proxy(const soapsvc::http_request& request) {
    static constexpr std::array<const char*, 6> fields = {
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-Real-IP",
        "Forwarded",
        "Via"};
    for (const char* field : fields)
        if (request.header(field)) return true;
    return false;
}

}  // namespace

soapsvc::http_reply healthz(const soapsvc::http_request&) { return text_page(200, "ok\n"); }

soapsvc::http_reply readyz(const StatusSources& sources) {
    try {
        sources.store.check();
        return text_page(200, "ready\n");
    } catch (const std::exception& error) {
        spdlog::warn("not ready: {}", error.what());
        return text_page(503, "not ready: the database does not answer\n");
    }
}

soapsvc::http_reply metrics_page(
    const StatusSources& sources, const soapsvc::http_request& request) {
    const bool here = is_loopback(std::string(request.peer)) && !came_through_proxy(request);
    if (sources.from == MetricsFrom::loopback && !here)
        return text_page(403, "403 Forbidden: metrics are for this machine only\n");
    soapsvc::http_reply reply = text_page(200, sources.metrics.text(sources.gauges()));
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return reply;
}
