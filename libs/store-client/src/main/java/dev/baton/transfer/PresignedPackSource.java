/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Reads ranges of packs at presigned URLs. Retries failures within a budget; requests new URLs,
 * once for all threads, when they have expired. Blocks; an interrupt ends it; thread-safe.
 */
public final class PresignedPackSource implements PackSource {
  /** Requests new URLs for the packs; blocks. */
  @FunctionalInterface
  public interface UrlRenewal {
    Map<Hash, String> renew() throws IOException, InterruptedException;
  }

  private final PresignedObjectClient objects;
  private final UrlRenewal renewal;
  private final Supplier<RetryBudget> budgets;
  private final LongAdder read = new LongAdder();

  /** Not a monitor: a thread that waits for a monitor cannot be interrupted. */
  private final ReentrantLock renewing = new ReentrantLock();

  private volatile Map<Hash, String> urls;

  /**
   * @param objects reads them
   * @param urls of all packs that will be read
   * @param renewal called when the object store refuses a URL as expired
   * @param budgets creates the budget of one {@link #read}
   */
  public PresignedPackSource(
      PresignedObjectClient objects,
      Map<Hash, String> urls,
      UrlRenewal renewal,
      Supplier<RetryBudget> budgets) {
    this.objects = objects;
    this.urls = urls;
    this.renewal = renewal;
    this.budgets = budgets;
  }

  /** Returns the number of bytes read so far; those of failed attempts do not count. */
  public long bytesRead() {
    return read.sum();
  }

  /**
   * @throws TransferException when the store has returned no URL of the pack
   * @throws ObjectRefusedException when the pack does not exist, or the budget is spent
   * @throws IOException when the budget is spent
   * @throws IllegalArgumentException when the range is not within the pack
   */
  @Override
  public void read(PackRef pack, long offset, byte[] into, int length)
      throws IOException, InterruptedException {
    if (offset < 0 || length < 1 || offset + length > pack.size()) {
      throw new IllegalArgumentException(
          "%d bytes at offset %d are outside of a pack of %d bytes"
              .formatted(length, offset, pack.size()));
    }
    budgets.get().retry(() -> readOnce(pack, offset, into, length));
    read.add(length);
  }

  private byte[] readOnce(PackRef pack, long offset, byte[] into, int length)
      throws IOException, InterruptedException {
    Map<Hash, String> now = urls;
    String url = now.get(pack.id());
    if (url == null) {
      throw new TransferException("the store returned no URL for pack " + pack.id(), false, null);
    }
    try {
      objects.get(url, pack.size(), offset, into, length);
      return into;
    } catch (ObjectRefusedException e) {
      if (e.isExpired()) {
        renew(now);
      }
      throw e;
    }
  }

  private void renew(Map<Hash, String> old) throws IOException, InterruptedException {
    renewing.lockInterruptibly();
    try {
      if (urls == old) {
        urls = renewal.renew();
      }
    } finally {
      renewing.unlock();
    }
  }
}
