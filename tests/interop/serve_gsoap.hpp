// Shared by the servers of gSOAP. For programs that have included the output of soapcpp2.
#pragma once

#include <netinet/in.h>

#include <iostream>

/// Serves on a free port, which it prints, one call at a time, each after `before`, until no client
/// calls for a minute: no client here waits longer. Returns the exit status of `main`.
template <class Before> int serve_gsoap(struct soap* context, Before before) {
  context->accept_timeout = 60;
  if (!soap_valid_socket(soap_bind(context, "127.0.0.1", 0, 10))) return 1;
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  getsockname(context->master, reinterpret_cast<sockaddr*>(&bound), &size);
  std::cout << "listening on http://127.0.0.1:" << ntohs(bound.sin_port) << std::endl;
  while (soap_valid_socket(soap_accept(context))) {
    before();
    if (soap_serve(context) != SOAP_OK) soap_print_fault(context, stderr);
    soap_destroy(context);
    soap_end(context);
  }
  soap_free(context);
  return 0;
}
