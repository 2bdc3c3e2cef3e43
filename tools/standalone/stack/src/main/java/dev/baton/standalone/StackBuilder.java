/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.jvm.AotMode;
import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Configures a stack; created by {@link StandaloneStack#builder()}. Not thread-safe. */
public final class StackBuilder {

  private @Nullable Path data;
  Set<StackComponent> components = EnumSet.allOf(StackComponent.class);
  Consumer<String> progress = line -> {};
  Map<StackComponent, Map<String, String>> environment = new EnumMap<>(StackComponent.class);
  AotMode aot = AotMode.USE;
  boolean trainRunners;
  boolean autoRestart;
  boolean tls;
  boolean compact;
  boolean preferredApiPort;
  int apiPort;
  @Nullable InstallationLayout layout;

  StackBuilder() {}

  /** The data folder; created if missing. Required. */
  public StackBuilder data(Path folder) {
    data = folder;
    return this;
  }

  /** Selects components; at least one. */
  public StackBuilder components(StackComponent first, StackComponent... others) {
    components = EnumSet.of(first, others);
    return this;
  }

  StackBuilder components(Set<StackComponent> some) {
    components = EnumSet.copyOf(some);
    return this;
  }

  /**
   * Starts the programs of this installation; by default those of {@link InstallationLayout#find}.
   */
  public StackBuilder layout(InstallationLayout installation) {
    layout = installation;
    return this;
  }

  /** Whether components are restarted when they exit unexpectedly; off by default. */
  public StackBuilder autoRestart(boolean on) {
    autoRestart = on;
    return this;
  }

  /** Whether the orchestrator uses port 7070 if it is free; by default it uses any free port. */
  public StackBuilder preferredApiPort(boolean on) {
    preferredApiPort = on;
    return this;
  }

  /** The orchestrator's port, which must be free; 0, the default, selects any. */
  public StackBuilder apiPort(int port) {
    apiPort = port;
    return this;
  }

  /**
   * Whether both services accept only TLS, with certificates of an authority in the data folder;
   * off by default.
   */
  public StackBuilder tls(boolean on) {
    tls = on;
    return this;
  }

  /**
   * Whether the stack uses less memory in place of speed: smaller heaps, and no idle runners unless
   * the orchestrator's environment sets a number; off by default.
   */
  public StackBuilder compact(boolean on) {
    compact = on;
    return this;
  }

  /** How AOT caches are used; by default existing ones are used. */
  public StackBuilder aot(AotMode mode) {
    aot = mode;
    return this;
  }

  /** Whether runners record themselves, each run into the same cache; off by default. */
  StackBuilder trainRunners(boolean on) {
    trainRunners = on;
    return this;
  }

  /** Adds an environment variable for a component; overrides the stack's own. */
  public StackBuilder environment(StackComponent component, String name, String value) {
    environment.computeIfAbsent(component, key -> new HashMap<>()).put(name, value);
    return this;
  }

  /** Receives one line per event; called from several threads. */
  public StackBuilder progress(Consumer<String> lines) {
    progress = lines;
    return this;
  }

  /**
   * Starts everything and waits until all components are ready.
   *
   * @throws StackException when another stack runs on the data folder, or a component does not
   *     become ready; then no process is left running
   */
  public StandaloneStack start() throws IOException, InterruptedException {
    StandaloneStack stack = prepare();
    try {
      stack.startAll();
      return stack;
    } catch (IOException | InterruptedException | RuntimeException e) {
      try {
        stack.close();
      } catch (StackException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  /**
   * Locks the data folder and selects the ports; {@link StandaloneStack#startAll()} then starts.
   */
  StandaloneStack prepare() throws IOException, InterruptedException {
    return StandaloneStack.prepare(this);
  }

  /** How runners use their AOT cache. */
  AotMode runnerAot() {
    if (trainRunners) {
      return AotMode.TRAIN;
    }
    // Runners of a stack that records itself end in many ways, and several at once.
    return aot == AotMode.TRAIN ? AotMode.OFF : aot;
  }

  Path data() {
    if (data == null) {
      throw new IllegalStateException("the data folder is missing: call builder().data(…)");
    }
    return data;
  }
}
