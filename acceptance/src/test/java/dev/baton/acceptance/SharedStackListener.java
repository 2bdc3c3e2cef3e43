/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Closes each shared stack after the last class that uses it: an idle stack takes a quarter of a
 * processor from the other tests. JUnit creates it, as a service. Thread-safe.
 */
public final class SharedStackListener implements TestExecutionListener {
  private static final List<Class<? extends Annotation>> USES =
      List.of(UsesSharedStack.class, UsesScriptedModels.class, UsesEncryptedStack.class);

  private static final Map<Class<? extends Annotation>, Closing> OPEN = new HashMap<>();

  /** The names of the classes that have not ended, by the annotation that they have. */
  private final Map<Class<? extends Annotation>, Set<String>> left = new HashMap<>();

  /** Closes a stack. Called again at the end of all tests, without effect. */
  interface Closing {
    void close() throws IOException;
  }

  /** Adds a stack that is closed after the last class with this annotation. */
  static void add(Class<? extends Annotation> uses, Closing stack) {
    synchronized (OPEN) {
      OPEN.put(uses, stack);
    }
  }

  @Override
  public void testPlanExecutionStarted(TestPlan plan) {
    plan.accept(
        new TestPlan.Visitor() {
          @Override
          public void visit(TestIdentifier test) {
            testClass(test)
                .ifPresent(type -> uses(type).ifPresent(uses -> left(uses).add(type.getName())));
          }
        });
  }

  private synchronized Set<String> left(Class<? extends Annotation> uses) {
    return left.computeIfAbsent(uses, _ -> new HashSet<>());
  }

  private static Optional<Class<?>> testClass(TestIdentifier test) {
    return test.getSource()
        .filter(ClassSource.class::isInstance)
        .map(source -> ((ClassSource) source).getJavaClass());
  }

  private static Optional<Class<? extends Annotation>> uses(Class<?> type) {
    for (Class<? extends Annotation> uses : USES) {
      if (type.isAnnotationPresent(uses)) {
        return Optional.of(uses);
      }
    }
    return Optional.empty();
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    ended(test);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    ended(test);
  }

  private void ended(TestIdentifier test) {
    testClass(test).ifPresent(type -> uses(type).ifPresent(uses -> ended(uses, type.getName())));
  }

  private void ended(Class<? extends Annotation> uses, String type) {
    synchronized (this) {
      Set<String> others = left(uses);
      if (!others.remove(type) || !others.isEmpty()) {
        return;
      }
    }
    @Nullable Closing stack;
    synchronized (OPEN) {
      stack = OPEN.remove(uses);
    }
    if (stack != null) {
      try {
        stack.close();
      } catch (IOException e) {
        // It is closed again at the end of all tests, where a failure fails them.
        System.out.println("the stack of " + uses.getSimpleName() + " was not closed: " + e);
      }
    }
  }
}
