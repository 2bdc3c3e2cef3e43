/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.postgres;

import dev.baton.process.MarkedProcessFinder;
import dev.baton.process.ProcessIdentity;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Manages one database cluster in one folder: creates it on first use and defines how it is
 * started.
 *
 * <p>Postgres refuses to run as root. Root therefore starts it in a user namespace of its own
 * ({@code unshare -U}), where root is an ordinary, unnamed user that owns the same files; other
 * users start it directly.
 */
public final class PostgresServer {

  /** Name of the database and of its owner. */
  public static final String NAME = "baton";

  private static final String DATA = "data";
  private static final String PASSWORD = "password";
  private static final int INIT_SECONDS = 120;

  private final PostgresInstallation binaries;
  private final Path folder;

  /** Uses {@code folder/data}, created if missing; {@code folder} must exist. */
  public PostgresServer(PostgresInstallation binaries, Path folder) {
    this.binaries = binaries;
    this.folder = folder;
  }

  /**
   * Creates the cluster and the database on first use, removes leftovers of a killed server, and
   * returns its command. Only the holder of the data folder's lock may call this, and only while
   * its own server is not running.
   *
   * @throws IOException when the cluster cannot be created
   */
  public List<String> prepare(int port, String password) throws IOException, InterruptedException {
    Path data = data();
    if (Files.isDirectory(data)) {
      clearLeftovers(data);
    } else {
      create(data, password);
    }
    return start(data, port);
  }

  /**
   * Returns the password with which the cluster in this folder was created; empty without a
   * cluster.
   */
  public static Optional<String> password(Path folder) throws IOException {
    Path secret = folder.resolve(PASSWORD);
    return Files.isDirectory(folder.resolve(DATA)) && Files.exists(secret)
        ? Optional.of(Files.readString(secret).strip())
        : Optional.empty();
  }

  private Path data() {
    return folder.resolve(DATA);
  }

  private void create(Path data, String password) throws IOException, InterruptedException {
    // Created under another name and renamed at the end: an incomplete cluster must never be taken
    // for a complete one.
    Path fresh = folder.resolve("data.creating");
    DirectoryTreeDeleter.delete(fresh);
    Path secret = folder.resolve(PASSWORD);
    Files.deleteIfExists(secret);
    Files.createFile(
        secret, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(secret, password + "\n");
    List<String> init = new ArrayList<>(asOrdinaryUser());
    init.addAll(List.of(binaries.program("initdb").toString(), "-D", fresh.toString()));
    init.addAll(List.of("-U", NAME, "-A", "scram-sha-256", "--pwfile", secret.toString()));
    init.addAll(List.of("-E", "UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"));
    init.add("--no-instructions");
    run(init, "");
    List<String> single = new ArrayList<>(asOrdinaryUser());
    single.addAll(List.of(binaries.program("postgres").toString(), "--single"));
    single.addAll(List.of("-D", fresh.toString(), "postgres"));
    String answer = run(single, "CREATE DATABASE " + NAME + "\n");
    if (answer.contains("ERROR")) {
      // In this mode Postgres reports a failed statement only as text.
      throw new IOException("CREATE DATABASE " + NAME + " failed: " + answer);
    }
    Files.move(fresh, data, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Waits for the helpers of a killed server, which may live for a moment and hold its shared
   * memory, and removes its pid file, whose pid may by now belong to another process: Postgres
   * would otherwise refuse to start.
   */
  private void clearLeftovers(Path data) throws IOException, InterruptedException {
    List<ProcessIdentity> helpers = MarkedProcessFinder.workingIn("postgres", data.toRealPath());
    MarkedProcessFinder.stop(helpers, Duration.ZERO);
    Files.deleteIfExists(data.resolve("postmaster.pid"));
  }

  private List<String> start(Path data, int port) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(asOrdinaryUser());
    command.addAll(List.of(binaries.program("postgres").toString(), "-D", data.toString()));
    Properties settings = PostgresInstallation.properties("server.properties");
    settings.setProperty("port", Integer.toString(port));
    new TreeMap<>(settings)
        .forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    return command;
  }

  private static List<String> asOrdinaryUser() throws IOException, InterruptedException {
    return RootPrivilegeDropper.isCurrent() ? RootPrivilegeDropper.leave() : List.of();
  }

  private static String run(List<String> command, String input)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("baton-postgres", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      try (var in = process.getOutputStream()) {
        in.write(input.getBytes(StandardCharsets.UTF_8));
      }
      boolean ended = process.waitFor(INIT_SECONDS, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      if (!ended || process.exitValue() != 0) {
        throw new IOException(
            "%s %s: %s"
                .formatted(
                    String.join(" ", command.subList(0, Math.min(3, command.size()))),
                    ended ? "ended with code " + process.exitValue() : "took too long",
                    Files.readString(output).strip()));
      }
      return Files.readString(output).strip();
    } finally {
      Files.deleteIfExists(output);
    }
  }
}
