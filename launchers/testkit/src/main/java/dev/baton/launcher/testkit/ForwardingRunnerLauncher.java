/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.testkit;

import dev.baton.launcher.KillRequest;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.LauncherCapabilities;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerObserver;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Forwards all calls to another launcher; subclasses plant faults. */
public class ForwardingRunnerLauncher implements RunnerLauncher {
  protected final RunnerLauncher delegate;

  public ForwardingRunnerLauncher(RunnerLauncher delegate) {
    this.delegate = delegate;
  }

  @Override
  public String type() {
    return delegate.type();
  }

  @Override
  public LauncherCapabilities capabilities() {
    return delegate.capabilities();
  }

  @Override
  public void observe(RunnerObserver observer) {
    delegate.observe(observer);
  }

  @Override
  public LaunchedRunner start(LaunchSpec spec) throws LaunchException {
    return delegate.start(spec);
  }

  @Override
  public LaunchedRunner adopt(String runner, @Nullable String handle) throws LaunchException {
    return delegate.adopt(runner, handle);
  }

  @Override
  public List<LaunchedRunner> list() throws LaunchException {
    return delegate.list();
  }

  @Override
  public boolean isAlive(String runner, @Nullable String handle) {
    return delegate.isAlive(runner, handle);
  }

  @Override
  public void stop(String runner) {
    delegate.stop(runner);
  }

  @Override
  public void kill(String runner) {
    delegate.kill(runner);
  }

  @Override
  public Set<String> kill(KillRequest request, Consumer<String> killed) {
    return delegate.kill(request, killed);
  }

  @Override
  public String logLocation(String runner) {
    return delegate.logLocation(runner);
  }

  @Override
  public void close() {
    delegate.close();
  }
}
