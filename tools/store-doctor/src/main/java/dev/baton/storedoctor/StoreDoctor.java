/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs checks against a bucket, one after another, each below a prefix of its own whose objects it
 * removes afterwards. Thread-safe.
 */
public final class StoreDoctor {
  /** Bound of one check, after which its connections are closed. */
  private static final Duration CHECK_BOUND = Duration.ofMinutes(3);

  /** Characters that must be escaped in URLs: each key has them. */
  private static final String ESCAPED = " +a=b&ü/";

  /** The variable with the authority. */
  static final String TRUST = "BATON_TLS_TRUST";

  private final BucketAddress address;
  private final TlsSettings tls;

  public StoreDoctor(BucketAddress address) {
    this(address, TlsSettings.NONE);
  }

  /**
   * @param tls whose authorities the server may have, in addition to those of the JDK
   */
  public StoreDoctor(BucketAddress address, TlsSettings tls) {
    this.address = address;
    this.tls = tls;
  }

  /**
   * Runs the checks in their order.
   *
   * @param progress gets each outcome as soon as it is known
   * @return one outcome for each check; after a server that cannot be reached at all, only the
   *     first
   */
  public List<CheckOutcome> run(List<StoreCheck> checks, Consumer<CheckOutcome> progress)
      throws InterruptedException {
    List<CheckOutcome> outcomes = new ArrayList<>();
    for (StoreCheck check : checks) {
      CheckOutcome outcome = run(check);
      outcomes.add(outcome);
      progress.accept(outcome);
      if (outcomes.size() == 1 && !outcome.isMet()) {
        break;
      }
    }
    return outcomes;
  }

  /** Runs one check. */
  public CheckOutcome run(StoreCheck check) throws InterruptedException {
    long start = System.nanoTime();
    String failure;
    try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> run = thread.submit(() -> runAndRemove(check));
      try {
        run.get(CHECK_BOUND.toMillis(), TimeUnit.MILLISECONDS);
        failure = null;
      } catch (ExecutionException e) {
        failure = reason(e.getCause() == null ? e : e.getCause());
      } catch (TimeoutException e) {
        run.cancel(true);
        failure = "not finished within " + CHECK_BOUND.toSeconds() + " s";
      }
    }
    return new CheckOutcome(check, (System.nanoTime() - start) / 1_000_000, failure);
  }

  private @Nullable Void runAndRemove(StoreCheck check) throws Exception {
    String prefix = "baton-doctor-" + UUID.randomUUID() + "/" + check.name() + ESCAPED;
    try (S3BucketClient bucket = new S3BucketClient(address, tls)) {
      try {
        check.body().run(bucket, prefix);
      } catch (Exception failed) {
        removeAfter(failed, bucket, prefix);
        throw failed;
      }
      bucket.removeAll(prefix);
    }
    return null;
  }

  private static void removeAfter(Exception failed, S3BucketClient bucket, String prefix) {
    try {
      bucket.removeAll(prefix);
    } catch (Exception left) {
      failed.addSuppressed(left);
    }
  }

  private static String reason(Throwable failure) {
    if (failure instanceof CheckFailedException) {
      return String.valueOf(failure.getMessage());
    }
    if (failure instanceof InterruptedIOException) {
      return "no answer in time: " + failure.getMessage();
    }
    return TlsFailure.explain(failure, "--endpoint", StoreDoctor::words)
        .replace(TlsSettings.TRUST, TRUST);
  }

  private static String words(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
  }
}
