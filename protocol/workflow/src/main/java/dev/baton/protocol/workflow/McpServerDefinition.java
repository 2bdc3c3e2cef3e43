/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An MCP server that a workflow offers to its agents: a program that the runner starts, or a URL.
 * In {@code command}, {@code env} and {@code headers}, {@value #WORKSPACE} stands for the workspace
 * and {@value #STATE} for the server's own folder; a value of {@code env} or {@code headers} can be
 * a reference to a secret, {@code env:NAME} or {@code file:/path}.
 *
 * @param command program and arguments; empty with {@code url}
 * @param env variables in addition to those of the step
 * @param url of a server with streamable HTTP; empty with {@code command}
 * @param headers of each request to {@code url}
 * @param state globs of files below the server's own folder that checkpoints capture
 * @param timeout of each request of an agent
 */
public record McpServerDefinition(
    List<String> command,
    Map<String, String> env,
    Optional<String> url,
    Map<String, String> headers,
    List<String> state,
    Duration timeout) {
  /** Names of servers; the names of their tools for agents are {@code mcp__SERVER__TOOL}. */
  public static final Pattern NAME = Pattern.compile("[a-z](?:[a-z0-9-]|_(?!_)){0,31}");

  public static final String WORKSPACE = "{workspace}";
  public static final String STATE = "{state}";

  /** The timeout of servers that name none. */
  public static final Duration TIMEOUT = Duration.ofMinutes(10);

  public static final Duration MAX_TIMEOUT = Duration.ofHours(24);

  /** Maximum number of servers of a workflow. */
  public static final int MAX_SERVERS = 32;

  public McpServerDefinition {
    command = List.copyOf(command);
    env = new LinkedHashMap<>(env);
    headers = new LinkedHashMap<>(headers);
    state = List.copyOf(state);
  }
}
