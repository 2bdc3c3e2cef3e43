/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Shares one embedded stack between test classes. */
final class SharedStackExtension extends StackSharingExtension<SharedStackExtension.RunningStack> {
  private static final int LOG_LINES = 40;

  SharedStackExtension() {
    super(RunningStack.class);
  }

  @Override
  RunningStack start() {
    return RunningStack.start();
  }

  /**
   * Creates the caches once, like {@code baton up}: process starts dominate the duration of these
   * tests.
   */
  private static final class AotCaches {
    private static boolean made;
    private static @Nullable Exception failure;

    /** Fails for every stack if it fails once: without caches the tests take twice as long. */
    static synchronized void make() throws IOException, InterruptedException {
      if (failure != null) {
        throw new IOException("the caches could not be created", failure);
      }
      if (!made) {
        try {
          Path data = Files.createTempDirectory("baton-acceptance-caches-");
          StandaloneStack.makeAotCaches(data, System.out::println);
          DirectoryTreeDeleter.delete(data);
          made = true;
        } catch (IOException e) {
          failure = e;
          throw e;
        }
      }
    }
  }

  /** Returns a builder of a stack whose programs have AOT caches. */
  static StackBuilder builder() throws IOException, InterruptedException {
    AotCaches.make();
    return StandaloneStack.builder();
  }

  /** The stack, its API, and a folder for files of tests. */
  static final class RunningStack implements SharedStack {
    final StandaloneStack stack;
    final AcceptanceApiClient api;
    final Path folder;
    private boolean failed;

    private RunningStack(StandaloneStack stack, Path folder) {
      this.stack = stack;
      this.api =
          new AcceptanceApiClient(stack.orchestratorUrl(), stack.apiKey(), stack.clientTls());
      this.folder = folder;
    }

    private static RunningStack start() {
      return of(builder -> builder);
    }

    /** Starts a separate stack with a special configuration. */
    static RunningStack of(UnaryOperator<StackBuilder> with) {
      try {
        Path folder = Files.createTempDirectory("baton-acceptance-");
        StackBuilder builder = builder().data(folder.resolve("stack"));
        return of(with.apply(builder), folder);
      } catch (IOException e) {
        throw new AssertionError("the stack did not start", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while the stack started", e);
      }
    }

    /**
     * Starts a stack.
     *
     * @param folder which is deleted with the stack's data unless a test fails
     */
    static RunningStack of(StackBuilder builder, Path folder)
        throws IOException, InterruptedException {
      return new RunningStack(builder.start(), folder);
    }

    @Override
    public void failed(String test) {
      failed = true;
      System.out.println("--- " + test + " failed; everything is kept in " + folder);
      try (Stream<Path> logs = Files.walk(stack.log(StackComponent.ORCHESTRATOR).getParent())) {
        for (Path log : logs.filter(path -> path.toString().endsWith(".log")).toList()) {
          List<String> lines = Files.readAllLines(log);
          System.out.println("--- end of " + log);
          lines.stream().skip(Math.max(0, lines.size() - LOG_LINES)).forEach(System.out::println);
        }
      } catch (IOException e) {
        System.out.println("the logs cannot be read: " + e);
      }
    }

    @Override
    public void close() throws IOException {
      stack.close();
      if (failed) {
        return;
      }
      DirectoryTreeDeleter.delete(folder);
    }
  }
}
