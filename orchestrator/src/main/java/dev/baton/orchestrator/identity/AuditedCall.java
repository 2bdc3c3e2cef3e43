/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.trace.RunId;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded about a call while it runs: components note the projects and runs of its target.
 * Never has bodies or credentials. Thread-safe.
 */
public final class AuditedCall {
  /** Maximum characters of a text of the request. */
  static final int MAX_TEXT = 200;

  private static final int MAX_RUNS = 1_000;
  private static final int MAX_PROJECTS = 100;
  private static final String KEY = "baton.call";

  private final String id = RunId.next();
  private final Instant time = Instant.now().truncatedTo(ChronoUnit.MICROS);
  private final @Nullable String peer;
  private final Set<String> projects = new LinkedHashSet<>();
  private final Set<String> runs = new LinkedHashSet<>();
  private @Nullable Caller caller;
  private @Nullable String operation;
  private @Nullable String target;
  private boolean begun;

  private AuditedCall(@Nullable String peer) {
    this.peer = peer;
  }

  /** Returns the call of a request, the same for each use of its context. */
  public static AuditedCall of(RoutingContext context) {
    AuditedCall call = context.get(KEY);
    if (call == null) {
      SocketAddress address = context.request().remoteAddress();
      call = new AuditedCall(address == null ? null : address.hostAddress());
      context.put(KEY, call);
    }
    return call;
  }

  /** Returns the id of the request. */
  public String id() {
    return id;
  }

  public Instant time() {
    return time;
  }

  public @Nullable String peer() {
    return peer;
  }

  public synchronized @Nullable Caller caller() {
    return caller;
  }

  synchronized void caller(Caller known) {
    caller = known;
  }

  /** Returns the roles of the caller by project. */
  public synchronized Map<String, String> roles() {
    Map<String, String> roles = new TreeMap<>();
    if (caller != null && caller.projects() != null) {
      caller.projects().byProject().forEach((project, role) -> roles.put(project, role.label()));
    }
    return roles;
  }

  /** Notes a project of the target. */
  public synchronized void project(String name) {
    if (projects.size() < MAX_PROJECTS) {
      projects.add(clean(name));
    }
  }

  public synchronized List<String> projects() {
    return List.copyOf(projects);
  }

  /** Notes a run that the call names, changes or has created. */
  public synchronized void run(String run) {
    if (runs.size() < MAX_RUNS) {
      runs.add(clean(run));
    }
  }

  public synchronized List<String> runs() {
    return List.copyOf(runs);
  }

  /** Notes what the call is about; a later note replaces it. */
  public synchronized void target(@Nullable String text) {
    target = text == null ? null : clean(text);
  }

  public synchronized @Nullable String target() {
    return target;
  }

  /** Notes method and path template, or service and method of gRPC. */
  public synchronized void operation(String name) {
    operation = clean(name);
  }

  public synchronized @Nullable String operation() {
    return operation;
  }

  /** Notes that the call has a record, which its end completes. */
  public synchronized void begin() {
    begun = true;
  }

  public synchronized boolean hasBegun() {
    return begun;
  }

  /** Texts of requests may contain what Postgres cannot store, and have any length. */
  private static String clean(String text) {
    return TextShortener.shorten(text.replaceAll("\\p{Cntrl}", "?"), MAX_TEXT);
  }
}
