/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import dev.baton.protocol.workflow.SandboxHost;
import dev.baton.protocol.workflow.SandboxNetwork;
import dev.baton.protocol.workflow.SandboxRule;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** Decides which steps of a runner have a sandbox, and which one. Thread-safe. */
public final class SandboxFactory {
  private final SandboxSettings settings;
  private final BubblewrapProgram program;
  private final SandboxView view;
  private final AddressCheck addresses;

  /**
   * @param data the data folder of the runner, which no sandbox shows
   * @param environment of the runner: its {@code PATH}, and the files that its settings name
   * @param addresses to which proxies may connect
   */
  public SandboxFactory(
      SandboxSettings settings,
      Path data,
      Map<String, String> environment,
      AddressCheck addresses) {
    this.settings = settings;
    this.program = new BubblewrapProgram(environment.getOrDefault("PATH", "/usr/bin:/bin"));
    Set<Path> hidden = new TreeSet<>(HiddenFileFinder.ofSettings(environment));
    this.view = new SandboxView(data, hidden);
    this.addresses = addresses;
  }

  /** Creates sandboxes of steps that declare one. */
  public static SandboxFactory ofProcess(Path data, AddressCheck addresses) {
    return new SandboxFactory(SandboxSettings.NONE, data, System.getenv(), addresses);
  }

  /**
   * Returns the sandbox of a step; empty if it has none.
   *
   * @param declared in the definition
   */
  public Optional<StepSandbox> of(Optional<SandboxRule> declared) {
    if (declared.isEmpty() && !settings.required()) {
      return Optional.empty();
    }
    // A step that declares none was written for any network.
    SandboxRule rule = declared.orElseGet(this::widest);
    return Optional.of(new StepSandbox(rule, settings, program, view, addresses));
  }

  /** Returns the sandbox of a step that declares none: it was written for any network. */
  private SandboxRule widest() {
    List<SandboxHost> hosts = List.of();
    if (settings.network() == SandboxNetwork.PROXY) {
      hosts = settings.hosts().isEmpty() ? List.of(SandboxHost.ALL) : settings.hosts();
    }
    return new SandboxRule(settings.network(), hosts, List.of(), List.of(), OptionalInt.empty());
  }
}
