/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.runner.attach.GrpcChannelFactory;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.config.GrpcAddress;
import dev.baton.runner.secrets.SecretMasker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;

/** Creates logs of runs like a runner. */
public final class LogFixture implements AutoCloseable {
  private final RunLogUploader logs;
  private final LogShipper tail;

  public LogFixture(
      Supplier<Producer<String, byte[]>> producers, String storeUrl, LogSettings settings) {
    tail = new LogShipper("fixture", producers);
    logs =
        new RunLogUploader(
            tail,
            new RunnerStoreClient(
                GrpcChannelFactory.open(GrpcAddress.parseAll("baton.store.url", storeUrl))),
            settings);
  }

  /** Uses a store that does not answer. */
  public static LogFixture of(Producer<String, byte[]> producer) {
    try {
      Path folder = Files.createTempDirectory("baton-log-test");
      folder.toFile().deleteOnExit();
      return new LogFixture(() -> producer, "http://127.0.0.1:9", LogSettings.of(folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RunLog open(String run, int epoch) {
    return logs.open(new StoreCaller(run, epoch, "default", ""), new SecretMasker());
  }

  /** Waits for the live tail, but not for a store. */
  public void drain(Duration patience) throws InterruptedException {
    tail.drain(patience);
  }

  /** Waits for the live tail and the store. */
  public void drainAll(Duration patience) throws InterruptedException {
    logs.drain(patience);
  }

  static List<String> numbered(int from, int to) {
    return java.util.stream.IntStream.range(from, to).mapToObj(i -> "line " + i).toList();
  }

  @Override
  public void close() {
    logs.close();
  }
}
