/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

/**
 * A use of a secret in a template, as {@code ${{ secrets.NAME }}}. It is not an expression: the
 * value is put in when the step is dispatched, and no expression can read it.
 *
 * @param line within the template, from 1
 * @param column within the template, from 1
 */
public record SecretPlaceholder(String name, int line, int column) {}
