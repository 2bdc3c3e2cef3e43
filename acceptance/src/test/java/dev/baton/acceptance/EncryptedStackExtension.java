/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.util.Objects;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Shares one {@link EncryptedStack} between the test classes with {@link UsesEncryptedStack}:
 * started when the first class has it as a parameter, stopped after the last. If a test fails, the
 * stack's folder is kept and the ends of its logs are printed.
 */
final class EncryptedStackExtension implements ParameterResolver, AfterTestExecutionCallback {
  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(EncryptedStackExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == EncryptedStack.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return running(context);
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      running(context).on().failed(context.getDisplayName());
    }
  }

  private static EncryptedStack running(ExtensionContext context) {
    return Objects.requireNonNull(
        context
            .getRoot()
            .getStore(SPACE)
            .getOrComputeIfAbsent(EncryptedStack.class, _ -> start(), EncryptedStack.class));
  }

  private static EncryptedStack start() {
    EncryptedStack stack = EncryptedStack.start();
    SharedStackListener.add(EncryptedStackExtension.class, stack::close);
    return stack;
  }
}
