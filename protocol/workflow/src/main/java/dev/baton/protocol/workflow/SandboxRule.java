/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The sandbox of a step's programs. They see the workspace, a private temporary folder and the
 * programs of the machine, and no other process.
 *
 * @param network what they reach
 * @param hosts which hosts they reach through a proxy; empty for other networks
 * @param readOnly more paths that they see and cannot change: absolute, or relative to the
 *     workspace
 * @param write more paths that they see and may change, absolute
 * @param user the number of the user by which they see themselves, 0 to {@value #MAX_USER}; that of
 *     the runner where empty. Files belong to the runner's user in any case
 */
public record SandboxRule(
    SandboxNetwork network,
    List<SandboxHost> hosts,
    List<String> readOnly,
    List<String> write,
    OptionalInt user) {
  /** The sandbox of {@code sandbox: true}. */
  public static final SandboxRule DEFAULT =
      new SandboxRule(SandboxNetwork.NONE, List.of(), List.of(), List.of(), OptionalInt.empty());

  /** Maximum number of hosts. */
  public static final int MAX_HOSTS = 100;

  /** Maximum number of paths of one kind. */
  public static final int MAX_PATHS = 100;

  /** The highest number of a user: the one after it stands for "no such user". */
  public static final int MAX_USER = 65_533;

  private static final Pattern GUARD = Pattern.compile("\\bbaton\\s+guard\\b");

  /**
   * Why a step cannot work in a sandbox.
   *
   * @param problem what does not work
   * @param allowed what works
   */
  public record Conflict(String problem, String allowed) {}

  public SandboxRule {
    hosts = List.copyOf(hosts);
    readOnly = List.copyOf(readOnly);
    write = List.copyOf(write);
  }

  /** Returns why a step of this kind cannot work in this sandbox; empty if it can. */
  public Optional<Conflict> conflict(StepKind kind) {
    return switch (kind) {
      case StepKind.Shell shell -> conflict(shell);
      case StepKind.Agent agent -> conflict(agent);
      default -> Optional.empty();
    };
  }

  private Optional<Conflict> conflict(StepKind.Shell shell) {
    return network != SandboxNetwork.HOST && GUARD.matcher(shell.script()).find()
        ? Optional.of(
            new Conflict(
                "'baton guard' does not reach the orchestrator from a sandbox without the network of the host",
                "sandbox: {network: host}"))
        : Optional.empty();
  }

  private Optional<Conflict> conflict(StepKind.Agent agent) {
    if (agent.interactive()) {
      return Optional.of(
          new Conflict(
              "an interactive agent cannot be in a sandbox, from outside of which its screen is reached",
              "'sandbox: false', or no 'interactive'"));
    }
    if (!agent.background().isEmpty()) {
      return Optional.of(
          new Conflict(
              "processes in the background of a sandbox cannot be started again",
              "'sandbox: false', or no 'background'"));
    }
    if (network == SandboxNetwork.HOST) {
      return Optional.empty();
    }
    if (network == SandboxNetwork.NONE && !agent.usesGateway()) {
      return Optional.of(
          new Conflict(
              "without the gateway an agent does not reach its model from a sandbox without network",
              "sandbox: {network: proxy} or {network: host}"));
    }
    return agent.use().equals("opencode")
        ? Optional.of(
            new Conflict(
                "the agent 'opencode' is driven by a server, which a sandbox without the network of the host hides",
                "sandbox: {network: host}"))
        : Optional.empty();
  }
}
