/* A program that is linked with the plug-in. */
int plugin(void);
int main(void) { return plugin(); }
