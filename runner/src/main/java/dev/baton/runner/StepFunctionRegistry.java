/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.runner.steps.StepFunction;
import io.quarkus.arc.Unremovable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.literal.NamedLiteral;
import jakarta.inject.Inject;
import java.util.Optional;

/** Finds the {@code fn} beans of this runner. */
@ApplicationScoped
@Unremovable
public class StepFunctionRegistry {
  private final Instance<StepFunction> beans;

  @Inject
  public StepFunctionRegistry(@Any Instance<StepFunction> beans) {
    this.beans = beans;
  }

  /** Returns the bean with this {@code @Named} value, if there is exactly one. */
  public Optional<StepFunction> find(String name) {
    Instance<StepFunction> named = beans.select(NamedLiteral.of(name));
    return named.isResolvable() ? Optional.of(named.get()) : Optional.empty();
  }
}
