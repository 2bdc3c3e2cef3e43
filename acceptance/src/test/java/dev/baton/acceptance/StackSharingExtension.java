/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Shares one stack between all test classes with the extension: started when the first class has it
 * as a parameter, stopped after the last one. If a test fails, the stack's folder is kept and the
 * ends of its logs are printed.
 *
 * @param <S> the stack, by which parameters are recognized
 */
abstract class StackSharingExtension<S extends StackSharingExtension.SharedStack>
    implements ParameterResolver, AfterTestExecutionCallback {
  /** A stack that is closed once more at the end of all tests. */
  interface SharedStack extends AutoCloseable {
    /** Keeps all files, and prints the ends of the logs. */
    void failed(String test);

    @Override
    void close() throws IOException;
  }

  private final Class<S> type;

  StackSharingExtension(Class<S> type) {
    this.type = type;
  }

  abstract S start();

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == type;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return running(context);
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      running(context).failed(context.getDisplayName());
    }
  }

  private S running(ExtensionContext context) {
    ExtensionContext.Namespace space = ExtensionContext.Namespace.create(getClass());
    return Objects.requireNonNull(
        context.getRoot().getStore(space).getOrComputeIfAbsent(type, _ -> shared(), type));
  }

  private S shared() {
    S stack = start();
    SharedStackListener.add(getClass(), stack::close);
    return stack;
  }
}
