/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.audit;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One call of the API that changes data, or was refused; or a number of refused calls. It has
 * neither bodies nor credentials.
 *
 * @param id of the request
 * @param time when the call arrived; for a number of calls, of the first
 * @param caller name of the API key; null without a valid one
 * @param key id of the API key; null without a valid one
 * @param roles of the key by project; {@code *} is every project
 * @param peer address of the client; null for calls of several clients
 * @param operation method and path template, or service and method of gRPC; {@code *} for several
 * @param projects of the targets, at most 100
 * @param runs the targets, and the runs that the call has created; at most 1,000
 * @param target what the call names in its path: a run, an approval, a key, a workflow
 * @param outcome one of {@link AuditOutcome}
 * @param status of HTTP, or the name of gRPC's; null while it is unknown
 * @param problem type of the problem; null without one
 * @param count of calls, 1 except for refused ones
 */
public record AuditRecord(
    String id,
    Instant time,
    @Nullable String caller,
    @Nullable String key,
    Map<String, String> roles,
    @Nullable String peer,
    String operation,
    List<String> projects,
    List<String> runs,
    @Nullable String target,
    String outcome,
    @Nullable String status,
    @Nullable String problem,
    int count) {
  public static final String TYPE = "dev.baton.audit_recorded";

  public AuditRecord {
    roles = Map.copyOf(roles);
    projects = List.copyOf(projects);
    runs = List.copyOf(runs);
  }
}
