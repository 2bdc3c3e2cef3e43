/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.jvm.AotMode;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** Starts, watches and, at SIGTERM, stops a stack from this process. */
final class StackSupervisor {

  /**
   * Prefix of the line printed when everything is up; the orchestrator's address, or else the data
   * folder, follows.
   */
  static final String READY = "stack ready ";

  private StackSupervisor() {}

  /** Returns only when the stack could not be started; otherwise a signal ends the process. */
  static int run(StackArguments arguments) throws IOException, InterruptedException {
    StandaloneStack stack =
        StandaloneStack.builder()
            .data(arguments.data())
            .components(arguments.components())
            .aot(arguments.train() ? AotMode.TRAIN : AotMode.USE)
            .autoRestart(true)
            .preferredApiPort(true)
            .apiPort(arguments.port())
            .tls(arguments.tls())
            .compact(arguments.compact())
            .environment(
                StackComponent.ORCHESTRATOR,
                WarmRunnerPolicy.VARIABLE,
                arguments.train()
                    ? "0"
                    : WarmRunnerPolicy.wanted(System.getenv(), arguments.compact()))
            .progress(System.out::println)
            .prepare();
    // Registered before the first process is started: a signal during the start must not leave any
    // process behind.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stack), "stack-stop"));
    stack.startAll();
    boolean served = arguments.components().contains(StackComponent.ORCHESTRATOR);
    System.out.println(READY + (served ? stack.orchestratorUrl() : stack.data()));
    new CountDownLatch(1).await();
    return 0;
  }

  private static void stop(StandaloneStack stack) {
    try {
      stack.close();
      System.out.println("stack stopped");
    } catch (StackException e) {
      System.out.println(e.getMessage());
    }
  }
}
