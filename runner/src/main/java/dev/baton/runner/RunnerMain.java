/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.locale.Utf8LocaleGuard;
import dev.baton.runner.attach.GrpcChannelFactory;
import dev.baton.runner.capture.NativeWarmup;
import dev.baton.runner.journal.ProducerSettings;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/**
 * Starts the runner process. While the main thread reads the settings, a second thread prepares
 * what every runner needs next, regardless of its settings.
 */
@QuarkusMain
public final class RunnerMain {
  private RunnerMain() {}

  public static void main(String... args) {
    Utf8LocaleGuard.require();
    Thread.ofPlatform().daemon().name("head-start").start(RunnerMain::prepare);
    Quarkus.run(RunnerApplication.class, args);
  }

  /**
   * Prepares components in the order in which they are needed. The main thread does not wait; each
   * component is loaded by the thread that needs it first.
   */
  private static void prepare() {
    GrpcChannelFactory.prepare();
    ProducerSettings.prepare();
    Json.mapper();
    NativeWarmup.prepare();
  }
}
