/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import dev.baton.snapshot.SnapshotException;
import java.lang.management.ManagementFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.function.Executable;

/** Bytes that must be rejected with a specific error, and without large allocations. */
record RefusedBytesCase(
    String what,
    Class<? extends SnapshotException> error,
    String message,
    ThrowingCallable decoding)
    implements Executable {
  private static final long MAX_ALLOCATED = 4 << 20;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Override
  public void execute() {
    long before = THREADS.getCurrentThreadAllocatedBytes();

    Throwable thrown = catchThrowable(decoding);

    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    assertThat(thrown).as(what).isExactlyInstanceOf(error).hasMessageContaining(message);
    assertThat(allocated).as("allocated for: " + what).isLessThan(MAX_ALLOCATED);
  }
}
