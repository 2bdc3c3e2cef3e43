/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the program that checks an S3 server, in a JVM of its own. */
public final class StoreDoctorProgram {
  private static final String MAIN = "dev.baton.storedoctor.StoreDoctorMain";
  private static final Duration END_BOUND = Duration.ofSeconds(5);

  private StoreDoctorProgram() {}

  /**
   * Runs it with this process's output.
   *
   * @param accessKey null for that of the environment
   * @param secretKey null for that of the environment
   * @return its exit code
   */
  public static int run(
      String endpoint,
      String region,
      String bucket,
      int page,
      @Nullable String accessKey,
      @Nullable String secretKey,
      boolean json)
      throws IOException, InterruptedException {
    Path home = Path.of(System.getProperty("baton.home", ""));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            StackProgram.classpath(home.resolve("tools/store-doctor/target"), "the store doctor"),
            MAIN,
            endpoint,
            region,
            bucket,
            Integer.toString(page)));
    if (json) {
      command.add("--json");
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    if (accessKey != null) {
      builder.environment().put("BATON_OBJECT_STORE_ACCESS_KEY", accessKey);
    }
    if (secretKey != null) {
      builder.environment().put("BATON_OBJECT_STORE_SECRET_KEY", secretKey);
    }
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    return new ForegroundProcess(builder, END_BOUND).run();
  }
}
