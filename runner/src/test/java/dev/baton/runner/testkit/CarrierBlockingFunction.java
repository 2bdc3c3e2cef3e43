/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.runner.steps.StepContext;
import dev.baton.runner.steps.StepFunction;
import java.util.concurrent.CountDownLatch;

/**
 * Makes all virtual threads of its process hang, without processor time: as many as there are
 * carriers wait for a class whose initializer waits.
 */
public final class CarrierBlockingFunction implements StepFunction {
  /** Its name in a workflow. */
  public static final String NAME = "block-carriers";

  private static final class Waiting {
    static final JsonNode VALUE;

    static {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      VALUE = NullNode.getInstance();
    }

    private Waiting() {}
  }

  private static void initialize() {
    if (!Waiting.VALUE.isNull()) {
      throw new IllegalStateException("the class has another value");
    }
  }

  @Override
  public JsonNode call(JsonNode arguments, StepContext context) {
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread.ofVirtual().start(CarrierBlockingFunction::initialize);
    }
    initialize();
    return Waiting.VALUE;
  }
}
