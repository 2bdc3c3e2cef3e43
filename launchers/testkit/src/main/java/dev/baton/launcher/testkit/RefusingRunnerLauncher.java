/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.testkit;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.LauncherCapabilities;
import dev.baton.launcher.RunnerLauncher;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses starts while a test requires it, as a launcher does whose quota is used up. Its runners
 * outlive their orchestrator. Thread-safe.
 */
public final class RefusingRunnerLauncher extends ForwardingRunnerLauncher {
  private final AtomicReference<@Nullable Supplier<LaunchException>> refusal =
      new AtomicReference<>();
  private final AtomicInteger refused = new AtomicInteger();

  public RefusingRunnerLauncher(RunnerLauncher delegate) {
    super(delegate);
  }

  /** Refuses all starts from now on. */
  public void refuse(Supplier<LaunchException> failure) {
    refused.set(0);
    refusal.set(failure);
  }

  public void accept() {
    refusal.set(null);
  }

  /** Returns the number of refused starts since {@link #refuse}. */
  public int refused() {
    return refused.get();
  }

  @Override
  public LauncherCapabilities capabilities() {
    LauncherCapabilities own = super.capabilities();
    return new LauncherCapabilities(
        own.canStart(),
        true,
        own.canKill(),
        own.exitCodeAfterAdoption(),
        own.loadsHost(),
        own.files());
  }

  @Override
  public LaunchedRunner start(LaunchSpec spec) throws LaunchException {
    Supplier<LaunchException> failure = refusal.get();
    if (failure != null) {
      refused.incrementAndGet();
      throw failure.get();
    }
    return super.start(spec);
  }
}
