/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;

/**
 * The supervisor program.
 *
 * <pre>
 * up        --data DIR [--port N] [--foreground] [--train]
 *               starts the stack; if it is already running, waits until it is ready
 * down      --data DIR
 *               stops it, also when its supervisor is dead
 * aot-cache --data DIR [--force]
 *               creates missing AOT caches, with a separate stack in DIR
 * </pre>
 *
 * All take {@code --components kafka,postgres,…} to select components. Exit codes: 0 on success, 1
 * on failure, 5 when the stack is already running on another port than {@code --port}, 64 when the
 * arguments are wrong.
 */
public final class StackMain {

  static final int ON_ANOTHER_PORT = 5;

  private StackMain() {}

  /** Runs the program; see the class for the exit codes. */
  public static void main(String... args) {
    System.exit(run(args));
  }

  private static int run(String... args) {
    try {
      StackArguments arguments = StackArguments.parse(args);
      return switch (arguments.action()) {
        case UP ->
            arguments.foreground()
                ? StackSupervisor.run(arguments)
                : SupervisorLauncher.run(arguments);
        case DOWN -> StackStopper.run(arguments, System.out::println);
        case AOT_CACHE ->
            AotCacheTrainer.run(
                InstallationLayout.find(),
                arguments.data(),
                arguments.components(),
                arguments.force(),
                System.out::println);
      };
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      return 64;
    } catch (IOException | IllegalStateException e) {
      System.err.println(e.getMessage());
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      System.err.println("interrupted");
      return 1;
    }
  }
}
