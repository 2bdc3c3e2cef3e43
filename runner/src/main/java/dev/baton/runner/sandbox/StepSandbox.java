/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import dev.baton.protocol.workflow.SandboxNetwork;
import dev.baton.protocol.workflow.SandboxRule;
import dev.baton.protocol.workflow.StepKind;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The sandbox of one step: converts the commands of its processes to commands that run them inside.
 * All of its processes see the workspace and the same folders; each has a process namespace, a
 * temporary folder and, without a network, a loopback interface of its own. Immutable.
 */
public final class StepSandbox {
  /** The home of programs whose step sets none, in the temporary folder. */
  private static final String HOME = "/tmp/home";

  private static final String TEMPORARY = "/tmp";

  /** Variables by which programs find the orchestrator, and prove who they are. */
  private static final List<String> OF_GUARD =
      List.of("BATON_SERVER", "BATON_API_KEY", "BATON_TLS_TRUST");

  /** Variables that name credentials of the runner. */
  private static final List<String> OF_RUNNER = List.of("BATON_TLS_CERTIFICATE", "BATON_TLS_KEY");

  private final SandboxRule rule;
  private final SandboxSettings settings;
  private final BubblewrapProgram program;
  private final SandboxView view;
  private final AddressCheck addresses;
  private final Optional<Path> folder;
  private final Optional<SandboxRelay> relay;

  StepSandbox(
      SandboxRule rule,
      SandboxSettings settings,
      BubblewrapProgram program,
      SandboxView view,
      AddressCheck addresses) {
    this(rule, settings, program, view, addresses, Optional.empty(), Optional.empty());
  }

  private StepSandbox(
      SandboxRule rule,
      SandboxSettings settings,
      BubblewrapProgram program,
      SandboxView view,
      AddressCheck addresses,
      Optional<Path> folder,
      Optional<SandboxRelay> relay) {
    this.rule = rule;
    this.settings = settings;
    this.program = program;
    this.view = view;
    this.addresses = addresses;
    this.folder = folder;
    this.relay = relay;
  }

  /**
   * Returns the sandbox of an agent, which also shows the folder with its home, once that exists,
   * and the files of the programs that it starts.
   */
  public StepSandbox ofAgent(Path home) {
    return new StepSandbox(rule, settings, program, view, addresses, Optional.of(home), relay);
  }

  /** Whether its programs have a network of their own, without that of the host. */
  private boolean isIsolated() {
    return rule.network() != SandboxNetwork.HOST;
  }

  /**
   * Opens the relay that its programs need; empty if they need none. The caller closes it when they
   * have ended.
   *
   * @param ports of the runner's loopback that they reach
   * @throws IOException when the relay cannot listen
   */
  public Optional<SandboxRelay> openRelay(Set<Integer> ports) throws IOException {
    boolean isProxied = rule.network() == SandboxNetwork.PROXY;
    if (!isIsolated() || (ports.isEmpty() && !isProxied)) {
      return Optional.empty();
    }
    Optional<SandboxProxy> proxy =
        isProxied
            ? Optional.of(new SandboxProxy(rule.hosts(), settings.hosts(), addresses))
            : Optional.empty();
    return Optional.of(SandboxRelay.open(ports, proxy));
  }

  /** Returns the sandbox in which programs reach the ports of a relay on their loopback. */
  public StepSandbox reaching(SandboxRelay ports) {
    return new StepSandbox(rule, settings, program, view, addresses, folder, Optional.of(ports));
  }

  /**
   * @throws SandboxException when a step of this kind cannot work in it
   */
  public void check(StepKind kind) throws SandboxException {
    Optional<SandboxRule.Conflict> conflict = rule.conflict(kind);
    if (conflict.isPresent()) {
      throw refused(conflict.get().problem() + "; allowed: " + conflict.get().allowed());
    }
    if (rule.network().isWiderThan(settings.network())) {
      throw refused(
          "this runner permits no network '%s'; the widest is '%s' (%s)"
              .formatted(
                  rule.network().word(), settings.network().word(), SandboxSettings.NETWORK));
    }
  }

  /**
   * Returns the variables of a process in the sandbox.
   *
   * @param outside those of a process without a sandbox
   * @param own names that the step sets
   */
  public Map<String, String> environment(Map<String, String> outside, Set<String> own) {
    Map<String, String> inside = new LinkedHashMap<>(outside);
    Map.of("HOME", HOME, "TMPDIR", TEMPORARY)
        .forEach(
            (name, value) -> {
              if (!own.contains(name)) {
                inside.put(name, value);
              }
            });
    inside.keySet().removeAll(OF_RUNNER);
    if (isIsolated()) {
      inside.keySet().removeAll(OF_GUARD);
    }
    return inside;
  }

  /**
   * Returns a command that runs another one in the sandbox.
   *
   * @param workspace where its files are
   * @param seen where the programs see them
   * @throws SandboxException when the machine cannot create the sandbox, the runner does not permit
   *     it, or a path is missing; no program was started
   */
  public List<String> command(List<String> command, Path workspace, Path seen)
      throws SandboxException {
    try {
      Path bwrap = program.check(view.test());
      SandboxMounts mounts = view.system();
      settings.shown().forEach(path -> view.show(mounts, path));
      mounts.temporary(TEMPORARY, HOME);
      if (folder.isPresent()) {
        for (Path file : programs(command)) {
          view.show(mounts, file);
        }
      }
      if (relay.isPresent()) {
        SandboxForwarder.show(mounts, view, relay.get());
      }
      addPaths(mounts);
      view.hide(mounts);
      mounts.writable(workspace, seen);
      for (String path : rule.readOnly()) {
        if (!path.startsWith("/")) {
          mounts.readOnly(inWorkspace(workspace, path), seen.resolve(path));
        }
      }
      folder.filter(Files::isDirectory).ifPresent(home -> mounts.writable(home, home));
      List<String> words = new ArrayList<>();
      words.add(bwrap.toString());
      words.addAll(SandboxView.NAMESPACES);
      if (isIsolated()) {
        words.add("--unshare-net");
      }
      rule.user()
          .ifPresent(
              user ->
                  words.addAll(
                      List.of("--uid", Integer.toString(user), "--gid", Integer.toString(user))));
      words.addAll(mounts.sealed());
      relay.map(SandboxRelay::proxyPort).filter(OptionalInt::isPresent).stream()
          .flatMap(port -> SandboxProxy.environment(port.getAsInt()).entrySet().stream())
          .sorted(Map.Entry.comparingByKey())
          .forEach(
              variable ->
                  words.addAll(List.of("--setenv", variable.getKey(), variable.getValue())));
      words.addAll(List.of("--chdir", seen.toString(), "--"));
      words.addAll(relay.map(ports -> SandboxForwarder.command(ports, command)).orElse(command));
      return words;
    } catch (SandboxException e) {
      throw e;
    } catch (IOException e) {
      throw refused("a path cannot be read: " + e.getMessage());
    }
  }

  private void addPaths(SandboxMounts mounts) throws IOException {
    for (String path : rule.readOnly()) {
      if (path.startsWith("/")) {
        mounts.readOnly(permitted("read_only", path), Path.of(path));
      }
    }
    for (String path : rule.write()) {
      mounts.writable(permitted("write", path), Path.of(path));
    }
  }

  /** Returns where the links of a path lead to, which the runner must permit, too. */
  private Path permitted(String key, String text) throws IOException {
    Path path = Path.of(text);
    if (!settings.permits(path)) {
      throw refused(
          "%s: this runner does not permit '%s'; add it to %s (BATON_SANDBOX_PATHS) of the runner"
              .formatted(key, text, SandboxSettings.PATHS));
    }
    if (!Files.exists(path)) {
      throw refused("%s: '%s' does not exist on this runner".formatted(key, text));
    }
    Path real = path.toRealPath();
    if (!settings.permits(real)) {
      throw refused(
          "%s: '%s' leads to '%s', which this runner does not permit (%s)"
              .formatted(key, text, real, SandboxSettings.PATHS));
    }
    if (view.isOfRunner(real)) {
      throw refused("%s: '%s' contains files of the runner itself".formatted(key, text));
    }
    return real;
  }

  private static Path inWorkspace(Path workspace, String text) throws IOException {
    Path root = workspace.toRealPath();
    Path path = root.resolve(text);
    if (!Files.exists(path)) {
      throw refused("read_only: '%s' does not exist in the workspace".formatted(text));
    }
    if (!path.toRealPath().equals(path)) {
      throw refused("read_only: '%s' is behind a link in the workspace".formatted(text));
    }
    return path;
  }

  /** Returns the files of a program that may be outside of the folders of the system. */
  private static Set<Path> programs(List<String> command) throws IOException {
    Set<Path> files = new LinkedHashSet<>();
    Path first = Path.of(command.getFirst());
    if (first.isAbsolute() && Files.isExecutable(first)) {
      Path real = first.toRealPath();
      Path java = Path.of(System.getProperty("java.home")).toRealPath();
      files.add(first);
      files.add(real.startsWith(java) ? java : real);
    }
    int classPath = command.indexOf("-cp") + 1;
    if (classPath > 0 && classPath < command.size()) {
      for (String entry : command.get(classPath).split(File.pathSeparator)) {
        if (entry.startsWith("/") && Files.exists(Path.of(entry))) {
          files.add(Path.of(entry));
        }
      }
    }
    return files;
  }

  private static SandboxException refused(String message) {
    return new SandboxException(SandboxException.Reason.REFUSED, "sandbox: " + message);
  }
}
