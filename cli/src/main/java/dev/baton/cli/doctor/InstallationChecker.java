/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.doctor;

import dev.baton.cli.client.ServerAddress;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.stack.DataFolder;
import dev.baton.cli.stack.StackInfo;
import dev.baton.cli.terminal.ByteSizeFormatter;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks this machine and, where a server is named or a stack runs, their health. */
record InstallationChecker(CommandContext context, @Nullable Path home) {
  private static final int JAVA = 25;
  private static final long LEAST_DISK = 1L << 30;
  private static final int API_PORT = 7070;
  private static final int TIMEOUT_MILLIS = 3_000;

  /** What {@code ./baton} builds: each module, and the product by which it is known to be built. */
  private static final Map<String, String> PRODUCTS = products();

  static InstallationChecker of(CommandContext context) {
    String home = System.getProperty("baton.home", "");
    return new InstallationChecker(context, home.isEmpty() ? null : Path.of(home));
  }

  private static Map<String, String> products() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("cli", "baton-cli.jar");
    all.put("tools/standalone/stack", "baton-standalone-[0-9]*.jar");
    all.put("tools/standalone/kafka", "baton-standalone-kafka-*.jar");
    all.put("tools/standalone/s3", "baton-standalone-s3-*.jar");
    all.put("checkpoint-store", "quarkus-app/quarkus-run.jar");
    all.put("orchestrator", "quarkus-app/quarkus-run.jar");
    all.put("runner", "quarkus-app/quarkus-run.jar");
    return all;
  }

  List<CheckResult> check() {
    List<CheckResult> results = new ArrayList<>();
    results.add(java());
    results.add(modules());
    DataFolder folder = context.dataFolder();
    results.add(writable("data folder", folder.path(), "name another folder with --data DIR"));
    results.add(writable("cache folder", cache(), "name another folder with BATON_CACHE"));
    results.add(disk(folder.path()));
    StackInfo stack;
    try {
      stack = folder.stack().filter(StackInfo::supervised).orElse(null);
    } catch (CliException e) {
      results.add(CheckResult.problem("stack", e.line(), "name another folder with --data DIR"));
      return results;
    }
    results.add(port(folder, stack));
    results.addAll(health(folder, stack));
    return results;
  }

  private static CheckResult java() {
    String folder = System.getProperty("java.home");
    if (folder == null) {
      return CheckResult.ok("JDK", "not needed by this native executable");
    }
    String found = "%s in %s".formatted(Runtime.version(), folder);
    return Runtime.version().feature() >= JAVA
        ? CheckResult.ok("JDK", found)
        : CheckResult.problem(
            "JDK", found, "install JDK %d or newer and set JAVA_HOME".formatted(JAVA));
  }

  private CheckResult modules() {
    if (home == null) {
      return CheckResult.problem(
          "modules", "the checkout's folder is not set", "start this command with ./baton");
    }
    List<String> missing =
        PRODUCTS.entrySet().stream()
            .filter(each -> !exists(home.resolve(each.getKey()).resolve("target"), each.getValue()))
            .map(Map.Entry::getKey)
            .toList();
    return missing.isEmpty()
        ? CheckResult.ok("modules", "built in " + home)
        : CheckResult.problem(
            "modules",
            "not built: " + String.join(", ", missing),
            "`./baton up` builds them, or ./mvnw -DskipTests package");
  }

  private static boolean exists(Path target, String pattern) {
    Path product = target.resolve(pattern);
    Path folder = product.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      return false;
    }
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + product.getFileName());
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(Path::getFileName).anyMatch(matcher::matches);
    } catch (IOException e) {
      return false;
    }
  }

  private static CheckResult writable(String name, Path folder, String fix) {
    Path there = nearest(folder);
    if (!Files.isDirectory(there)) {
      return CheckResult.problem(name, there + " is not a folder", fix);
    }
    if (!Files.isWritable(there)) {
      return CheckResult.problem(name, there + " cannot be written", fix);
    }
    return CheckResult.ok(
        name, there.equals(folder) ? folder.toString() : folder + ", not created yet");
  }

  /** The path itself, or the nearest parent that exists. */
  private static Path nearest(Path path) {
    Path there = path;
    while (!Files.exists(there)) {
      Path parent = there.getParent();
      if (parent == null) {
        return there;
      }
      there = parent;
    }
    return there;
  }

  /** The folder that the stack's programs use; see docs/cli.md. */
  private Path cache() {
    Map<String, String> environment = context.environment();
    String named = environment.getOrDefault("BATON_CACHE", "");
    if (!named.isBlank()) {
      return Path.of(named).toAbsolutePath().normalize();
    }
    String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
    String userHome = environment.getOrDefault("HOME", System.getProperty("user.home"));
    Path base = xdg.isBlank() ? Path.of(userHome, ".cache") : Path.of(xdg);
    return base.resolve("baton").toAbsolutePath().normalize();
  }

  private static CheckResult disk(Path folder) {
    Path there = nearest(folder);
    long free;
    try {
      free = Files.getFileStore(there).getUsableSpace();
    } catch (IOException e) {
      return CheckResult.problem(
          "disk space", "unknown for %s: %s".formatted(there, e.getMessage()), "check the disk");
    }
    String found = "%s free at %s".formatted(ByteSizeFormatter.of(free), there);
    return free >= LEAST_DISK
        ? CheckResult.ok("disk space", found)
        : CheckResult.problem(
            "disk space",
            found,
            "free at least %s, or use another disk with --data DIR"
                .formatted(ByteSizeFormatter.of(LEAST_DISK)));
  }

  private static CheckResult port(DataFolder folder, @Nullable StackInfo running) {
    if (running != null) {
      return CheckResult.ok("port", running.apiPort() + ", in use by this stack");
    }
    int last = folder.stack().map(StackInfo::apiPort).orElse(0);
    int port = last == 0 ? API_PORT : last;
    return isFree(port)
        ? CheckResult.ok("port", port + ", free")
        : CheckResult.problem(
            "port",
            port + " is in use by another process",
            "stop that process, or choose a port with `baton up --port N`");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private List<CheckResult> health(DataFolder folder, @Nullable StackInfo stack) {
    boolean isNamed =
        context.options().server() != null
            || !context.environment().getOrDefault("BATON_SERVER", "").isBlank();
    if (isNamed) {
      return List.of(
          ready(
              "server",
              ServerAddress.resolve(context).toString(),
              "check the address, and that the server runs"));
    }
    if (stack == null) {
      return List.of(CheckResult.ok("stack", "not running; `baton up` starts it"));
    }
    String fix = "read the logs in %s, then `baton down` and `baton up`".formatted(folder.logs());
    List<CheckResult> results = new ArrayList<>();
    results.add(
        stack.ready()
            ? CheckResult.ok("stack", "running, pid " + stack.supervisorPid())
            : CheckResult.problem("stack", "not all of its parts are ready", fix));
    for (String component : List.of("orchestrator", "store")) {
      String url = stack.url(component);
      if (url != null) {
        results.add(ready(component, url, fix));
      }
    }
    return results;
  }

  private static CheckResult ready(String name, String url, String fix) {
    String problem;
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create(url + "/q/health/ready").toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      int status = connection.getResponseCode();
      connection.disconnect();
      if (status == HttpURLConnection.HTTP_OK) {
        return CheckResult.ok(name, "ready at " + url);
      }
      problem = "not ready at %s (HTTP status %d)".formatted(url, status);
    } catch (IOException e) {
      problem = "not reachable at %s (%s)".formatted(url, e.getMessage());
    }
    return CheckResult.problem(name, problem, fix);
  }
}
