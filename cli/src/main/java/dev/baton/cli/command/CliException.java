/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ends the command with an exit code and one line that states the problem and the remedy. Further
 * lines have details: the problems of a definition, the candidates of an ambiguous id.
 */
public final class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final int UNAUTHENTICATED = 401;
  private static final int FORBIDDEN = 403;

  private final CliExitCode code;
  private final transient List<String> details;
  private final transient @Nullable ObjectNode problem;

  private CliException(
      CliExitCode code,
      String message,
      List<String> details,
      @Nullable ObjectNode problem,
      @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.details = List.copyOf(details);
    this.problem = problem;
  }

  public static CliException of(CliExitCode code, String message) {
    return new CliException(code, message, List.of(), null, null);
  }

  public static CliException of(CliExitCode code, String message, Throwable cause) {
    return new CliException(code, message, List.of(), null, cause);
  }

  public static CliException detailed(CliExitCode code, String message, List<String> details) {
    return new CliException(code, message, details, null, null);
  }

  /** Creates an exception from the server's RFC 9457 problem document. */
  public static CliException problem(
      CliExitCode code, String message, List<String> details, ObjectNode problem) {
    return new CliException(code, message, details, problem, null);
  }

  public static CliException usage(String message) {
    return of(CliExitCode.USAGE, message);
  }

  public CliExitCode code() {
    return code;
  }

  /** Whether the server has refused the caller, which no retry changes. */
  public boolean isRefusal() {
    int status = problem == null ? 0 : problem.path("status").asInt();
    return status == UNAUTHENTICATED || status == FORBIDDEN;
  }

  /** The first line, never null. */
  public String line() {
    String message = getMessage();
    return message == null ? code.name() : message;
  }

  public List<String> details() {
    return details;
  }

  /** Returns the server's problem document for {@code -o json}, or one with the same fields. */
  public ObjectNode asJson() {
    ObjectNode node =
        problem == null
            ? JsonNodeFactory.instance.objectNode().put("title", line())
            : problem.deepCopy();
    if (problem == null && !details.isEmpty()) {
      details.forEach(node.putArray("details")::add);
    }
    return node.put("exit_code", code.number());
  }
}
