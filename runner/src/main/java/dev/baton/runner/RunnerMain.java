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
 * The start of a runner's process. Until the settings are read one thread has work; a second
 * meanwhile prepares what every runner needs next, whatever its settings say.
 */
@QuarkusMain
public final class RunnerMain {
  private RunnerMain() {}

  public static void main(String... args) {
    Utf8LocaleGuard.require();
    Thread.ofPlatform().daemon().name("head-start").start(RunnerMain::prepare);
    Quarkus.run(RunnerApplication.class, args);
  }

  /** In the order in which it is needed. Nobody waits for it, and whoever is first does it. */
  private static void prepare() {
    GrpcChannelFactory.prepare();
    ProducerSettings.prepare();
    Json.mapper();
    NativeWarmup.prepare();
  }
}
