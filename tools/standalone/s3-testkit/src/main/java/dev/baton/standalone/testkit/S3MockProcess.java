/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import dev.baton.process.ProcessSignal;
import dev.baton.standalone.S3Access;
import dev.baton.standalone.jvm.InstallationLayout;
import dev.baton.standalone.jvm.JvmCommand;
import dev.baton.standalone.process.ManagedProcess;
import dev.baton.standalone.process.ProcessSpec;
import dev.baton.standalone.process.ReadinessProbe;
import dev.baton.standalone.process.RestartBackoff;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs S3Mock, a second implementation of S3, as a process with a separate classpath, on 127.0.0.1.
 * It verifies checksums, but neither signatures nor the expiry of URLs.
 */
public final class S3MockProcess implements AutoCloseable {
  private static final String MAIN = "dev.baton.standalone.s3mock.S3MockServer";
  private static final Pattern READY = Pattern.compile("(?m)^ready (\\d+)$");
  private static final Duration READY_WITHIN = Duration.ofSeconds(120);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(20);

  private final ManagedProcess process;
  private final S3Access access;

  private S3MockProcess(ManagedProcess process, S3Access access) {
    this.process = process;
    this.access = access;
  }

  /**
   * Starts it and waits until it is ready.
   *
   * @param folder for its objects and its log, created if missing
   * @throws IOException when it is not built or does not become ready
   */
  public static S3MockProcess start(Path folder) throws IOException, InterruptedException {
    Path data = Files.createDirectories(folder.resolve("objects"));
    Path log = folder.resolve("s3mock.log");
    List<String> command = command(data);
    ManagedProcess process =
        new ManagedProcess(
            new ProcessSpec(
                "s3mock",
                () -> command,
                Map.of("MALLOC_ARENA_MAX", "2"),
                folder,
                log,
                new ReadinessProbe.LogLine(READY),
                READY_WITHIN,
                ProcessSignal.TERM,
                STOP_WITHIN),
            false,
            RestartBackoff.DEFAULT,
            event -> {});
    process.start();
    Matcher ready = READY.matcher(Files.readString(log));
    if (!ready.find()) {
      process.retire();
      throw new IOException("S3Mock did not report its port; its log is " + log);
    }
    return new S3MockProcess(
        process,
        new S3Access(
            "http://127.0.0.1:" + ready.group(1), "baton", "any-secret", "baton", "us-east-1"));
  }

  private static List<String> command(Path data) throws IOException {
    Path target = InstallationLayout.find().home().resolve("tools/standalone/s3mock/target");
    Path libraries = target.resolve("lib");
    if (!Files.isDirectory(libraries)) {
      throw new IOException(
          "S3Mock is not built, "
              + libraries
              + " is missing; build it with ./mvnw package -pl tools/standalone/s3mock");
    }
    return List.of(
        JvmCommand.java().toString(),
        "-Xmx192m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        target.resolve("classes") + File.pathSeparator + libraries.resolve("*"),
        MAIN,
        "--port",
        "0",
        "--data",
        data.toString());
  }

  /** Returns the access data; the bucket must be created by the caller. */
  public S3Access access() {
    return access;
  }

  @Override
  public void close() throws IOException {
    try {
      process.retire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while stopping S3Mock", e);
    }
  }
}
