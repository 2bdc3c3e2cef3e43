/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.server.PeriodicTask;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.packs.PackRow;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verifies packs again that were verified before, to detect later damage of the storage. Starts
 * with the pack whose verification is oldest; limits the read rate.
 */
@ApplicationScoped
public class PackScrubber {
  private static final Duration ROUND = Duration.ofMinutes(1);

  /** The number of packs and bytes that one pass read, and its findings. */
  public record Report(int packs, long bytes, List<VerificationFinding> findings) {}

  private final PackVerificationQueue queue;
  private final PackVerifier judge;
  private final long bytesPerSecond;
  private final Duration after;
  private @Nullable PeriodicTask loop;

  PackScrubber(PackVerificationQueue queue, PackVerifier judge, StoreConfig config) {
    this.queue = queue;
    this.judge = judge;
    bytesPerSecond = config.scrub().bytesPerSecond();
    after = config.scrub().after();
  }

  void onStart(@Observes StartupEvent event) {
    if (bytesPerSecond > 0) {
      loop = PeriodicTask.start("scrub", ROUND, this::turn);
    }
  }

  void onStop(@Observes ShutdownEvent event) {
    if (loop != null) {
      loop.close();
    }
  }

  private void turn() {
    try {
      OffsetDateTime before = queue.now().minus(after);
      for (Optional<PackRow> pack = queue.oldest(before);
          pack.isPresent();
          pack = queue.oldest(before)) {
        judge.judge(pack.get());
        Thread.sleep(Duration.ofMillis(pack.get().sizeBytes() * 1_000 / bytesPerSecond));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /**
   * Scrubs now and without pauses, each pack at most once. Blocks.
   *
   * @param maxBytes stops after this many bytes; 0 for all packs
   */
  public Report run(long maxBytes) {
    List<VerificationFinding> findings = new ArrayList<>();
    int packs = 0;
    long bytes = 0;
    OffsetDateTime start = queue.now();
    for (Optional<PackRow> pack = queue.oldest(start);
        pack.isPresent();
        pack = queue.oldest(start)) {
      judge.judge(pack.get()).ifPresent(findings::add);
      packs++;
      bytes += pack.get().sizeBytes();
      if (maxBytes > 0 && bytes >= maxBytes) {
        break;
      }
    }
    return new Report(packs, bytes, findings);
  }
}
