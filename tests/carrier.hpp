// How the requests of tests reach a dispatcher.
#pragma once

#include "soapsvc.hpp"

namespace support {

/// Null: directly. tests/unit/other_conformance.cpp sends the requests through another server.
inline soapsvc::http_response (*carrier)(
    const soapsvc::dispatcher& services, const soapsvc::http_request& request) = nullptr;

inline soapsvc::http_response carry(
    const soapsvc::dispatcher& services, const soapsvc::http_request& request) {
  return carrier != nullptr ? carrier(services, request) : services.handle(request);
}

}  // namespace support
