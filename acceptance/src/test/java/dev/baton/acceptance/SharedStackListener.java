/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.platform.commons.support.AnnotationSupport;
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
  /** The extensions that share a stack. */
  static final List<Class<? extends Extension>> SHARING =
      List.of(
          SharedStackExtension.class, ScriptedModelsExtension.class, EncryptedStackExtension.class);

  private static final Map<Class<? extends Extension>, Closing> OPEN = new HashMap<>();

  /** The names of the classes that have not ended, by the extension that shares a stack. */
  private final Map<Class<? extends Extension>, Set<String>> left = new HashMap<>();

  /** Closes a stack. Called again at the end of all tests, without effect. */
  interface Closing {
    void close() throws IOException;
  }

  /** Adds a stack that is closed after the last class with this extension. */
  static void add(Class<? extends Extension> sharing, Closing stack) {
    synchronized (OPEN) {
      OPEN.put(sharing, stack);
    }
  }

  @Override
  public void testPlanExecutionStarted(TestPlan plan) {
    plan.accept(
        new TestPlan.Visitor() {
          @Override
          public void visit(TestIdentifier test) {
            testClass(test)
                .ifPresent(type -> sharing(type).forEach(each -> left(each).add(type.getName())));
          }
        });
  }

  private synchronized Set<String> left(Class<? extends Extension> sharing) {
    return left.computeIfAbsent(sharing, _ -> new HashSet<>());
  }

  private static Optional<Class<?>> testClass(TestIdentifier test) {
    return test.getSource()
        .filter(ClassSource.class::isInstance)
        .map(source -> ((ClassSource) source).getJavaClass());
  }

  /** Returns the extensions of a class that share a stack, also those of its annotations. */
  static List<Class<? extends Extension>> sharing(Class<?> type) {
    List<Class<? extends Extension>> sharing = new ArrayList<>();
    for (ExtendWith extended :
        AnnotationSupport.findRepeatableAnnotations(type, ExtendWith.class)) {
      sharing.addAll(List.of(extended.value()));
    }
    sharing.retainAll(SHARING);
    return sharing;
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
    testClass(test).ifPresent(type -> sharing(type).forEach(each -> ended(each, type.getName())));
  }

  private void ended(Class<? extends Extension> sharing, String type) {
    synchronized (this) {
      Set<String> others = left(sharing);
      if (!others.remove(type) || !others.isEmpty()) {
        return;
      }
    }
    @Nullable Closing stack;
    synchronized (OPEN) {
      stack = OPEN.remove(sharing);
    }
    if (stack != null) {
      try {
        stack.close();
      } catch (IOException e) {
        // It is closed again at the end of all tests, where a failure fails them.
        System.out.println("the stack of " + sharing.getSimpleName() + " was not closed: " + e);
      }
    }
  }
}
