/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.extension.Extension;

/**
 * Runs the test classes that share a stack one right after the other, so that few stacks run at a
 * time: one thread has those without models, the other those with them, and the first to end takes
 * the rest.
 *
 * <p>The very first class is one without a lock and in every tier: the first thread of JUnit waits
 * for the lock of its first class, if another thread is faster, and then keeps it while it waits
 * for a place among the running threads, which is free only when all other classes have ended.
 */
public final class SharedStackClassOrderer implements ClassOrderer {
  private static final Class<?> FIRST = MigrationTest.class;

  @Override
  public void orderClasses(ClassOrdererContext context) {
    context
        .getClassDescriptors()
        .sort(
            Comparator.<ClassDescriptor>comparingInt(each -> group(each.getTestClass()))
                .thenComparing(each -> each.getTestClass().getName()));
  }

  /** Returns the number of the stack; classes without one, or with one of their own, are last. */
  private static int group(Class<?> type) {
    if (type == FIRST) {
      return -1;
    }
    List<Class<? extends Extension>> sharing = SharedStackListener.sharing(type);
    return sharing.isEmpty()
        ? SharedStackListener.SHARING.size()
        : SharedStackListener.SHARING.indexOf(sharing.getFirst());
  }
}
