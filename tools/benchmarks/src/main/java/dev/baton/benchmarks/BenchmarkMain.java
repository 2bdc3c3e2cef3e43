/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks;

import dev.baton.benchmarks.agent.AgentBenchmark;
import dev.baton.benchmarks.agent.AgentOptions;
import dev.baton.benchmarks.agent.AgentResult;
import dev.baton.benchmarks.failover.FailoverBenchmark;
import dev.baton.benchmarks.failover.FailoverOptions;
import dev.baton.benchmarks.failover.FailoverResult;
import dev.baton.benchmarks.fork.ForkBenchmark;
import dev.baton.benchmarks.fork.ForkOptions;
import dev.baton.benchmarks.fork.ForkResult;
import dev.baton.benchmarks.liveness.LivenessBenchmark;
import dev.baton.benchmarks.liveness.LivenessOptions;
import dev.baton.benchmarks.liveness.LivenessResult;
import dev.baton.benchmarks.pair.PairFigure;
import dev.baton.benchmarks.pair.StackPairBenchmark;
import dev.baton.benchmarks.pair.StackPairOptions;
import dev.baton.benchmarks.pair.StackPairResult;
import dev.baton.benchmarks.report.ForkJsonWriter;
import dev.baton.benchmarks.report.ForkMarkdownWriter;
import dev.baton.benchmarks.report.SnapshotJsonWriter;
import dev.baton.benchmarks.report.SnapshotMarkdownWriter;
import dev.baton.benchmarks.report.SnapshotSvgWriter;
import dev.baton.benchmarks.report.StepsJsonWriter;
import dev.baton.benchmarks.report.StepsMarkdownWriter;
import dev.baton.benchmarks.report.StepsSvgWriter;
import dev.baton.benchmarks.shells.ShellsBenchmark;
import dev.baton.benchmarks.shells.ShellsOptions;
import dev.baton.benchmarks.shells.ShellsResult;
import dev.baton.benchmarks.snapshot.SnapshotBenchmark;
import dev.baton.benchmarks.snapshot.SnapshotOptions;
import dev.baton.benchmarks.snapshot.SnapshotResult;
import dev.baton.benchmarks.soak.SoakBenchmark;
import dev.baton.benchmarks.soak.SoakGrowth;
import dev.baton.benchmarks.soak.SoakOptions;
import dev.baton.benchmarks.soak.SoakResult;
import dev.baton.benchmarks.steps.StepsBenchmark;
import dev.baton.benchmarks.steps.StepsOptions;
import dev.baton.benchmarks.steps.StepsResult;
import dev.baton.benchmarks.steps.StepsWorkload;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Entry point of {@code benchmarks/run}: prints figures on standard output, progress on standard
 * error. Exits with 0, with 1 when a measurement failed, with 2 when the arguments are wrong.
 */
public final class BenchmarkMain {
  private static final List<String> NAMES =
      List.of(
          "steps",
          "shells",
          "soak",
          "snapshot",
          "failover",
          "fork",
          "liveness",
          "agents",
          "security",
          "versions");
  private static final Duration STOP = Duration.ofSeconds(60);

  private BenchmarkMain() {}

  public static void main(String... args) {
    List<String> arguments = List.of(args);
    try {
      if (arguments.isEmpty() || isHelp(arguments.getFirst())) {
        System.out.print(help("usage"));
        System.exit(arguments.isEmpty() ? 2 : 0);
      }
      run(arguments.getFirst(), arguments.subList(1, arguments.size()));
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

  private static void run(String name, List<String> rest) throws IOException, InterruptedException {
    if (NAMES.contains(name) && rest.stream().anyMatch(BenchmarkMain::isHelp)) {
      System.out.print(help(name));
      return;
    }
    switch (name) {
      case "steps" -> steps(StepsOptions.parse(rest));
      case "shells" -> shells(ShellsOptions.parse(rest));
      case "soak" -> soak(SoakOptions.parse(rest));
      case "snapshot" -> snapshot(SnapshotOptions.parse(rest));
      case "failover" -> failover(FailoverOptions.parse(rest));
      case "fork" -> fork(ForkOptions.parse(rest));
      case "liveness" -> liveness(LivenessOptions.parse(rest));
      case "agents" -> agents(AgentOptions.parse(rest));
      case "security" -> security(StackPairOptions.ofSecurity(rest));
      case "versions" -> versions(StackPairOptions.ofVersions(rest));
      default ->
          throw new IllegalArgumentException(
              "unknown benchmark " + name + "; allowed: " + String.join(", ", NAMES));
    }
  }

  private static String help(String name) throws IOException {
    String file = name + ".txt";
    try (InputStream in =
        Objects.requireNonNull(BenchmarkMain.class.getResourceAsStream(file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void steps(StepsOptions options) throws IOException, InterruptedException {
    Path packages = cache().resolve("benchmarks/restate");
    StepsResult result =
        inFolder(
            null,
            folder ->
                new StepsBenchmark(
                        options,
                        StepsWorkload.standard(options.kind()),
                        folder,
                        packages,
                        System.err::println)
                    .run());
    String table = StepsMarkdownWriter.of(result);
    write(
        options.results(),
        "steps",
        table,
        StepsJsonWriter.whole(result),
        StepsSvgWriter.of(result));
    System.out.print(options.json() ? StepsJsonWriter.brief(result) + "\n" : table);
  }

  private static void shells(ShellsOptions options) throws IOException, InterruptedException {
    ShellsResult result =
        inFolder(null, folder -> new ShellsBenchmark(options, folder, System.err::println).run());
    String json = result.json() + "\n";
    write(options.results(), Map.of("shells.md", result.table(), "shells.json", json));
    System.out.print(options.json() ? json : result.table());
  }

  private static void soak(SoakOptions options) throws IOException, InterruptedException {
    SoakResult result =
        inFolder(
            null,
            folder ->
                new SoakBenchmark(options, StepsWorkload.STANDARD, folder, System.err::println)
                    .run());
    String json = result.json() + "\n";
    write(options.results(), Map.of("soak.md", result.table(), "soak.json", json));
    System.out.print(options.json() ? json : result.table());
    List<SoakGrowth> above = result.above();
    if (!above.isEmpty()) {
      throw new IOException(
          above.stream()
              .map(SoakGrowth::describe)
              .collect(
                  Collectors.joining(", ", "from the early to the late samples have grown: ", "")));
    }
  }

  private static void snapshot(SnapshotOptions options) throws IOException, InterruptedException {
    SnapshotResult result =
        inFolder(
            options.work(),
            folder -> new SnapshotBenchmark(options, folder, cache(), System.err::println).run());
    String table = SnapshotMarkdownWriter.of(result);
    write(
        options.results(),
        "snapshot",
        table,
        SnapshotJsonWriter.whole(result),
        SnapshotSvgWriter.of(result));
    System.out.print(options.json() ? SnapshotJsonWriter.brief(result) + "\n" : table);
  }

  private static void fork(ForkOptions options) throws IOException, InterruptedException {
    ForkResult result =
        inFolder(null, folder -> new ForkBenchmark(options, folder, System.err::println).run());
    String table = ForkMarkdownWriter.of(result);
    String json = ForkJsonWriter.of(result) + "\n";
    write(options.results(), Map.of("fork.md", table, "fork.json", json));
    System.out.print(options.json() ? json : table);
  }

  private static void failover(FailoverOptions options) throws IOException, InterruptedException {
    Path packages = cache().resolve("benchmarks/restate");
    FailoverResult result =
        inFolder(
            null,
            folder -> new FailoverBenchmark(options, folder, packages, System.err::println).run());
    String json = result.json() + "\n";
    write(options.results(), Map.of("failover.md", result.table(), "failover.json", json));
    System.out.print(options.json() ? json : result.table());
  }

  private static void liveness(LivenessOptions options) throws IOException, InterruptedException {
    LivenessResult result =
        inFolder(null, folder -> new LivenessBenchmark(options, folder, System.err::println).run());
    String json = result.json() + "\n";
    write(options.results(), Map.of("liveness.md", result.table(), "liveness.json", json));
    System.out.print(options.json() ? json : result.table());
  }

  private static void agents(AgentOptions options) throws IOException, InterruptedException {
    AgentResult result =
        inFolder(null, folder -> new AgentBenchmark(options, folder, System.err::println).run());
    String json = result.json() + "\n";
    write(options.results(), Map.of("agents.md", result.table(), "agents.json", json));
    System.out.print(options.json() ? json : result.table());
  }

  private static void security(StackPairOptions options) throws IOException, InterruptedException {
    report("security", "Security", options, StackPairBenchmark::ofSecurity);
  }

  private static void versions(StackPairOptions options) throws IOException, InterruptedException {
    StackPairResult result =
        report("versions", "Versions", options, StackPairBenchmark::ofVersions);
    double most = 1 + options.limit() / 100.0;
    List<PairFigure> above = result.above(most);
    if (!above.isEmpty()) {
      throw new IOException(
          above.stream()
              .map(
                  figure ->
                      String.format(Locale.ROOT, "%s %.2f", figure.label(), result.cost(figure)))
              .collect(
                  Collectors.joining(
                      ", ",
                      "this version costs more than "
                          + options.limit()
                          + " % more than "
                          + options.against()
                          + ": ",
                      "")));
    }
  }

  private interface Comparison {
    StackPairResult of(StackPairBenchmark benchmark) throws IOException, InterruptedException;
  }

  private static StackPairResult report(
      String name, String title, StackPairOptions options, Comparison comparison)
      throws IOException, InterruptedException {
    StackPairResult result =
        inFolder(
            null,
            folder ->
                comparison.of(
                    new StackPairBenchmark(
                        options, StepsWorkload.STANDARD, folder, System.err::println)));
    String table = result.table(title);
    String json = result.json() + "\n";
    write(options.results(), Map.of(name + ".md", table, name + ".json", json));
    System.out.print(options.json() ? json : table);
    return result;
  }

  private interface Measurement<T> {
    T in(Path folder) throws IOException, InterruptedException;
  }

  /**
   * Runs a measurement in a temporary folder, which is deleted afterwards, unless its logs are
   * needed to analyse a failure.
   */
  private static <T> T inFolder(@Nullable Path parent, Measurement<T> measurement)
      throws IOException, InterruptedException {
    Path folder =
        parent == null
            ? Files.createTempDirectory("baton-benchmark")
            : Files.createTempDirectory(Files.createDirectories(parent), "baton-benchmark");
    CountDownLatch stopped = stopOnSignal();
    T result;
    try {
      result = measurement.in(folder.toRealPath());
    } catch (IOException e) {
      throw new IOException(e.getMessage() + " (logs are in " + folder + ")", e);
    } catch (InterruptedException | IllegalArgumentException e) {
      DirectoryTreeDeleter.delete(folder);
      throw e;
    } finally {
      stopped.countDown();
    }
    DirectoryTreeDeleter.delete(folder);
    return result;
  }

  private static void write(
      @Nullable Path results, String name, String table, String json, String plot)
      throws IOException {
    write(results, Map.of(name + ".md", table, name + ".json", json, name + ".svg", plot));
  }

  private static void write(@Nullable Path results, Map<String, String> files) throws IOException {
    Path target =
        results == null
            ? InstallationLayout.find().home().resolve("tools/benchmarks/results")
            : results;
    Files.createDirectories(target);
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(target.resolve(file.getKey()), file.getValue());
    }
    System.err.println("written to " + target);
  }

  /**
   * Interrupts the measurement on a signal; it then stops what it has started.
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

  /** Uses the shell's rule: Java takes the home from the user database instead of HOME. */
  static Path cache(Map<String, String> environment) {
    String named = environment.getOrDefault("BATON_CACHE", "");
    String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
    String home = environment.getOrDefault("HOME", "");
    if (!named.isBlank()) {
      return Path.of(named).toAbsolutePath();
    }
    if (!xdg.isBlank()) {
      return Path.of(xdg, "baton");
    }
    return Path.of(home.isBlank() ? System.getProperty("user.home") : home, ".cache", "baton");
  }

  private static Path cache() {
    return cache(System.getenv());
  }

  private static boolean isHelp(String argument) {
    return argument.equals("--help") || argument.equals("-h") || argument.equals("help");
  }
}
