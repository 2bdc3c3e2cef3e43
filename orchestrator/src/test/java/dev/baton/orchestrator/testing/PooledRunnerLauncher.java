/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerPoolRegistry;
import dev.baton.launcher.RunnerPoolTemplate;
import dev.baton.launcher.testkit.ForwardingRunnerLauncher;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A launcher of processes whose pools are added and removed as those of pods are. */
public final class PooledRunnerLauncher extends ForwardingRunnerLauncher
    implements RunnerPoolRegistry {
  private final Map<String, RunnerPoolTemplate> templates = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable String> noRoom = new AtomicReference<>();

  PooledRunnerLauncher(RunnerLauncher delegate) {
    super(delegate);
  }

  /** Refuses all starts for want of room, until it is null. */
  public void refuse(@Nullable String message) {
    noRoom.set(message);
  }

  /** Returns the present templates by pool. */
  public Map<String, RunnerPoolTemplate> templates() {
    return Map.copyOf(templates);
  }

  @Override
  public LaunchedRunner start(LaunchSpec spec) throws LaunchException {
    String message = noRoom.get();
    if (message != null) {
      throw new LaunchException.NoRoomException(message);
    }
    return super.start(spec);
  }

  @Override
  public Location location() {
    return new Location("https://cluster/", "runners");
  }

  @Override
  public String selector(String pool) {
    return "pool=" + pool;
  }

  @Override
  public void put(String pool, RunnerPoolTemplate template) {
    templates.put(pool, template);
  }

  @Override
  public void remove(String pool) {
    templates.remove(pool);
  }
}
