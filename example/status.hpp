// The pages for those who operate the service: /healthz, /readyz and /metrics.
#pragma once

#include <functional>

#include "log.hpp"
#include "metrics.hpp"
#include "soapsvc.hpp"
#include "store.hpp"

/// Who may read /metrics.
enum class MetricsFrom {
    loopback,  ///< this machine, and not through a proxy that says so
    any
};

/// What the pages are made from; all is borrowed.
struct StatusSources {
    HealthStore& store;
    const Metrics& metrics;
    std::function<Gauges()> gauges;
    MetricsFrom from = MetricsFrom::loopback;
};

/// 200 for as long as the process serves.
soapsvc::http_reply healthz(const soapsvc::http_request& request);

/// 200 if the database answers, else 503. Its own words go to the log, not to strangers.
soapsvc::http_reply readyz(const StatusSources& sources);

/// What was counted; 403 for those who may not read it.
soapsvc::http_reply metrics_page(
    const StatusSources& sources, const soapsvc::http_request& request);
