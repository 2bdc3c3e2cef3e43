/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks;

import dev.baton.benchmarks.report.StepsJson;
import dev.baton.benchmarks.report.StepsPlot;
import dev.baton.benchmarks.report.StepsTable;
import dev.baton.benchmarks.steps.StepsBenchmark;
import dev.baton.benchmarks.steps.StepsOptions;
import dev.baton.benchmarks.steps.StepsResult;
import dev.baton.benchmarks.steps.Workload;
import dev.baton.standalone.files.Trees;
import dev.baton.standalone.jvm.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * {@code benchmarks/run}: figures on standard output, progress on standard error. Exits with 0,
 * with 1 when a measurement failed, with 2 when the arguments are wrong.
 */
public final class BenchmarkMain {
  private static final String HELP =
      """
      usage: benchmarks/run NAME [options]

      Benchmarks
        steps    no-op transform steps, one run and many at once, beside Restate

      benchmarks/run NAME --help tells more.
      """;

  private static final Duration STOP = Duration.ofSeconds(60);

  private BenchmarkMain() {}

  public static void main(String... args) {
    List<String> arguments = List.of(args);
    try {
      if (arguments.isEmpty() || isHelp(arguments.getFirst())) {
        System.out.print(HELP);
        System.exit(arguments.isEmpty() ? 2 : 0);
      } else if (!arguments.getFirst().equals("steps")) {
        throw new IllegalArgumentException(
            "there is no benchmark " + arguments.getFirst() + ", only: steps");
      } else if (arguments.stream().anyMatch(BenchmarkMain::isHelp)) {
        System.out.print(StepsOptions.HELP);
      } else {
        steps(StepsOptions.parse(arguments.subList(1, arguments.size())));
      }
      System.exit(0);
    } catch (IllegalArgumentException e) {
      System.err.println("benchmarks/run: " + e.getMessage());
      System.exit(2);
    } catch (IOException e) {
      System.err.println("benchmarks/run: " + e.getMessage());
      System.exit(1);
    } catch (InterruptedException e) {
      System.exit(130);
    }
  }

  private static void steps(StepsOptions options) throws IOException, InterruptedException {
    Path home = Layout.find().home();
    Path results = options.results();
    Path target = results == null ? home.resolve("benchmarks/results") : results;
    Path packages = cache().resolve("benchmarks/restate");
    Path folder = Files.createTempDirectory("baton-benchmark");
    CountDownLatch stopped = stopOnSignal();
    StepsResult result;
    try {
      result =
          new StepsBenchmark(options, Workload.STANDARD, folder, packages, System.err::println)
              .run();
    } catch (IOException e) {
      throw new IOException(e.getMessage() + " (logs are in " + folder + ")", e);
    } catch (InterruptedException e) {
      Trees.delete(folder);
      throw e;
    } finally {
      stopped.countDown();
    }
    Trees.delete(folder);
    Files.createDirectories(target);
    String table = StepsTable.of(result);
    Files.writeString(target.resolve("steps.md"), table);
    Files.writeString(target.resolve("steps.json"), StepsJson.whole(result));
    Files.writeString(target.resolve("steps.svg"), StepsPlot.of(result));
    System.err.println("written to " + target);
    System.out.print(options.json() ? StepsJson.brief(result) + "\n" : table);
  }

  /**
   * A signal interrupts the measurement, which then stops what it has started.
   *
   * @return to be counted down when everything has been stopped
   */
  private static CountDownLatch stopOnSignal() {
    CountDownLatch stopped = new CountDownLatch(1);
    Thread measuring = Thread.currentThread();
    Thread stop =
        new Thread(
            () -> {
              if (stopped.getCount() == 0) {
                return;
              }
              measuring.interrupt();
              try {
                if (!stopped.await(STOP.toSeconds(), TimeUnit.SECONDS)) {
                  System.err.println("benchmarks/run: not everything has stopped after " + STOP);
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "benchmark-stop");
    Runtime.getRuntime().addShutdownHook(stop);
    return stopped;
  }

  private static Path cache() {
    String named = System.getenv("BATON_CACHE");
    String xdg = System.getenv("XDG_CACHE_HOME");
    if (named != null && !named.isBlank()) {
      return Path.of(named).toAbsolutePath();
    }
    return (xdg == null || xdg.isBlank()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(xdg))
        .resolve("baton");
  }

  private static boolean isHelp(String argument) {
    return argument.equals("--help") || argument.equals("-h") || argument.equals("help");
  }
}
