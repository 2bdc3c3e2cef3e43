/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import java.io.IOException;

/**
 * The supervisor program.
 *
 * <pre>
 * up        --data DIR [--port N] [--foreground] [--train]   starts the stack; a second one waits for it and says that it runs already
 * down      --data DIR                            stops it, also where its supervisor is dead
 * aot-cache --data DIR [--force]                  makes the AOT caches that are missing, with a stack of its own in DIR
 * </pre>
 *
 * All take {@code --components kafka,postgres,…} to work with some components only. Exits with 0
 * when done, 1 when that failed, 5 when the stack runs already on another port than {@code --port}
 * says, 64 when the arguments are wrong.
 */
public final class StackMain {

  static final int ON_ANOTHER_PORT = 5;

  private StackMain() {}

  /** See the class. */
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
                arguments.data(), arguments.components(), arguments.force(), System.out::println);
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
