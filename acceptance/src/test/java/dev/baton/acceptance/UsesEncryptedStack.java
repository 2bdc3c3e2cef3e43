/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Marks a test class that uses the stack of {@link EncryptedStackExtension}. Such classes run one
 * after the other, since they exchange certificates of the stack.
 */
@ExtendWith(EncryptedStackExtension.class)
@ResourceLock("encrypted stack")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface UsesEncryptedStack {}
